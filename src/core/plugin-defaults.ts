import type { JsonObject } from '../util/json.ts';
import type { PluginEntry } from './inference-request.ts';

/** A plugin that is on, or off, for requests that do not name it (docs/spec/plugins.md#defaults). */
export interface PluginDefault {
  /** The members of its entry besides `id`, as a request writes them. */
  readonly config: JsonObject;
  /** Whether requests, and those who set narrower defaults, cannot change it. */
  readonly enforced: boolean;
}

/** Defaults by the ids of plugins. */
export type PluginDefaults = Readonly<Record<string, PluginDefault>>;

/** A default as requests get it. */
export interface DefaultPlugin {
  readonly entry: PluginEntry;
  readonly enforced: boolean;
}

/**
 * The defaults that hold for a request. Narrower ones replace wider ones, unless those are enforced. Undefined without any.
 * @param levels Of the installation, the account and the workspace, the widest first.
 */
export function defaultsInEffect(
  ...levels: readonly (PluginDefaults | undefined)[]
): readonly DefaultPlugin[] | undefined {
  let inEffect: Map<string, DefaultPlugin> | undefined;
  for (const level of levels) {
    if (level === undefined) continue;
    for (const id in level) {
      const written = level[id];
      if (written === undefined || inEffect?.get(id)?.enforced === true) continue;
      const { enabled, ...settings } = written.config;
      const entry = { id, enabled: enabled !== false, settings };
      inEffect ??= new Map();
      inEffect.set(id, { entry, enforced: written.enforced });
    }
  }
  return inEffect && [...inEffect.values()];
}
