import type { PluginEntry } from '../../core/inference-request.ts';
import type { DefaultPlugin } from '../../core/plugin-defaults.ts';
import type { CanonicalRequest } from '../../core/request.ts';
import { asList } from '../../schema/kind-table.ts';
import { readPlugin } from '../../schema/plugin-schemas.ts';
import { settleInnerTools } from './tools/service-tools.ts';

/**
 * Reads `plugins`: of two entries with one id the last counts (docs/spec/requests.md#plugins). Undefined without any.
 * @throws HeadgateError `invalid_request`.
 */
export function readPlugins(value: unknown): readonly PluginEntry[] | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = new Map<string, PluginEntry>();
  for (const [index, entry] of asList(value, 'plugins').entries()) {
    const path = `plugins[${index}]`;
    const plugin = settled(readPlugin(entry, path), path);
    entries.delete(plugin.id);
    entries.set(plugin.id, plugin);
  }
  return entries.size === 0 ? undefined : [...entries.values()];
}

/**
 * The plugins of a request with those that are on by default (docs/spec/plugins.md#defaults): an entry of the request replaces a
 * default, unless that is enforced.
 * @param decided Ids of plugins that the request decided about without naming them.
 */
export function withDefaultPlugins(
  requested: readonly PluginEntry[] | undefined,
  defaults: readonly DefaultPlugin[] | undefined,
  decided: readonly string[] = [],
): readonly PluginEntry[] | undefined {
  if (defaults === undefined) return requested;
  const entries = new Map(requested?.map((entry) => [entry.id, entry]));
  for (const { entry, enforced } of defaults) {
    const isDecided = entries.has(entry.id) || decided.includes(entry.id);
    if (enforced || !isDecided) entries.set(entry.id, settled(entry, 'plugin_defaults.fusion'));
  }
  return entries.size === 0 ? undefined : [...entries.values()];
}

/** A plugin whose settings list tools of the gateway by their own names, whatever the request calls them. */
function settled(entry: PluginEntry, path: string): PluginEntry {
  if (entry.id !== 'fusion') return entry;
  return { ...entry, settings: settleInnerTools(entry.settings, path) };
}

/**
 * Whether the middle of a conversation that is too long is left out (docs/spec/plugins.md#context-compression). An entry of the
 * plugin decides before `truncation`, which decides before the size of the context.
 */
export function compressionOf(
  plugins: readonly PluginEntry[] | undefined,
  truncation?: CanonicalRequest['truncation'],
): Pick<CanonicalRequest, 'compression' | 'truncation'> {
  const listed = plugins?.find(({ id }) => id === 'context-compression')?.enabled;
  if (listed !== undefined) return { compression: listed, truncation: listed ? 'auto' : 'disabled' };
  if (truncation === 'disabled') return { compression: false, truncation };
  return { truncation: truncation ?? 'disabled' };
}
