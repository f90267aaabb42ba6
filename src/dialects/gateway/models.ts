import { HeadgateError } from '../../core/errors.ts';
import type { InferenceRequest, PluginEntry } from '../../core/inference-request.ts';
import { malformed, nameOf, quote } from '../../schema/fault.ts';
import { isObject } from '../../util/json.ts';

/** The slugs of a request. */
export type NamedModels = Pick<InferenceRequest, 'models' | 'spellings'>;

/**
 * The slugs to try, in order: `model`, then `models`, without repetitions (docs/spec/routing.md#candidates); slugs
 * compare without regard to case.
 * @param spell Turns aliases of the `service` prefix into the prefix itself.
 * @param presumed The model when none is named.
 * @throws HeadgateError `invalid_request` when there is none, or a fallback is a preset.
 */
export function readModels(
  { model, models }: { readonly model?: string; readonly models?: readonly string[] },
  spell: Speller,
  presumed?: string,
): NamedModels {
  const candidates = new Map<string, string>();
  const spellings = new Map<string, string>();
  const add = (written: string) => {
    const slug = spell(written);
    const key = slug.toLowerCase();
    if (candidates.has(key)) return;
    candidates.set(key, slug);
    if (slug !== written) spellings.set(slug, written);
  };
  if (model !== undefined) add(model);
  for (const [index, slug] of (models ?? []).entries()) {
    if (slug.includes('@preset/')) throw malformed(`models[${index}]`, 'a fallback must not be a preset');
    add(slug);
  }
  if (candidates.size === 0 && presumed !== undefined) add(presumed);
  if (candidates.size === 0) throw malformed('model', 'is required when models is empty, expected a string');
  return { models: [...candidates.values()], ...(spellings.size > 0 && { spellings }) };
}

/**
 * The model that the latest assistant message names in its `model` member, where the plugin of `service/auto` asks for it
 * (docs/spec/routers.md#auto). Undefined without the plugin's `pin_model`.
 * @param messages The conversation as the client wrote it.
 */
export function lastModelOf(
  plugins: readonly PluginEntry[] | undefined,
  messages: unknown,
): string | undefined {
  const isWanted = plugins?.some(({ id, settings }) => id === 'auto-router' && settings.pin_model === true);
  if (isWanted !== true || !Array.isArray(messages)) return undefined;
  const latest: unknown = messages.findLast((one) => isObject(one) && one.role === 'assistant');
  return isObject(latest) && typeof latest.model === 'string' ? latest.model : undefined;
}

/** Turns a name as a request spells it into the gateway's own `service` form. */
export type Speller = (name: string) => string;

/**
 * Reads the operator's extra words for the `service` prefix (docs/spec/requests.md#prefix-aliases): with the alias
 * `word`, `word:web_search` is `service:web_search`.
 * @param separator What follows the prefix: a colon in tool kinds, a slash in model slugs.
 */
export function createSpeller(aliases: readonly string[], separator: ':' | '/'): Speller {
  const prefixes = aliases.map((alias) => alias.toLowerCase() + separator);
  return (name) => {
    const start = name.slice(0, name.indexOf(separator) + 1).toLowerCase();
    return prefixes.includes(start) ? `service${separator}${name.slice(start.length)}` : name;
  };
}

const presetPrefix = '@preset/';

/**
 * Refuses a preset that a request names by member or in its slug, where the route does not resolve presets
 * (docs/spec/presets.md#naming). Null counts as absent.
 * @throws HeadgateError `not_found`, or `invalid_request` when the member is not a text.
 */
export function refusePresets(body: unknown, model = ''): void {
  const { preset } = isObject(body) ? body : {};
  if (preset !== undefined && preset !== null && typeof preset !== 'string') {
    throw malformed('preset', `expected a string, got ${nameOf(preset)}`);
  }
  const start = model.indexOf(presetPrefix);
  if (typeof preset === 'string') throw noPreset('preset', preset);
  if (start >= 0) throw noPreset('model', model.slice(start + presetPrefix.length));
}

function noPreset(place: string, name: string): HeadgateError {
  return new HeadgateError('not_found', `${place}: there is no preset ${quote(name)}`);
}

/** Clients whose schemas of answers list every kind of annotation, by a word of their user agent. */
const closed = /\bai-sdk\/(?:openai|azure)\b/;

/** Whether a client fails at annotations of kinds that it does not know (docs/spec/plugins.md#annotations). */
export function hidesFiles(userAgent: string | undefined): boolean {
  return userAgent !== undefined && closed.test(userAgent);
}
