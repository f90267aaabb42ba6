import type { PluginEntry } from '../../core/inference-request.ts';
import { isObject } from '../../util/json.ts';

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
