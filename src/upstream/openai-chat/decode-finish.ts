import type { FinishReason, ServedTier } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { wordTable } from '../../util/word-table.ts';
import { textOf } from '../lenient.ts';

const reasons = wordTable<FinishReason>({
  stop: 'stop',
  tool_calls: 'tool_calls',
  tool_call: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  safety: 'content_filter',
  image_safety: 'content_filter',
  recitation: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
});

/** Finish reasons that are failures. */
const failures = wordTable<'provider_failed' | 'provider_overloaded'>({
  error: 'provider_failed',
  network_error: 'provider_failed',
  abort: 'provider_failed',
  insufficient_system_resource: 'provider_overloaded',
});

const tiers = wordTable<ServedTier>({
  default: 'default',
  standard: 'default',
  on_demand: 'default',
  flex: 'flex',
  priority: 'priority',
  performance: 'priority',
});

/** The finish reason of a chunk; some providers write null as text. */
export function readReason(native: unknown): string | undefined {
  return native === 'null' ? undefined : textOf(native);
}

/**
 * Why the model stopped. Undocumented reasons count as a regular end.
 * @param called Whether the answer calls a tool. Some providers still report `stop`, but the client may run the tool
 * only after `tool_calls`.
 * @throws HeadgateError when the reason is a failure.
 */
export function decodeFinish(native: string | undefined, called: boolean): FinishReason {
  // Some providers append a detail to the kind: `content_filter: PROHIBITED_CONTENT`.
  const [word = ''] = (native ?? '').toLowerCase().split(':', 1);
  const failure = failures[word];
  if (failure !== undefined) throw new HeadgateError(failure);
  const reason = reasons[word] ?? 'stop';
  return reason === 'stop' && called ? 'tool_calls' : reason;
}

/** The tier that served a call, where its name has a public equivalent. */
export function decodeTier(native: string | null | undefined): ServedTier | undefined {
  return tiers[native ?? ''];
}
