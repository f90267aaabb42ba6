import type { FinishReason } from '../../core/delta.ts';
import { wordTable } from '../../util/word-table.ts';

/** The meaning of a finish reason: an end, or a failure that another attempt may avoid. */
export type Ending = FinishReason | 'failed';

const endings = wordTable<Ending>({
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'failed',
  MALFORMED_RESPONSE: 'failed',
  UNEXPECTED_TOOL_CALL: 'failed',
  TOO_MANY_TOOL_CALLS: 'failed',
  MISSING_THOUGHT_SIGNATURE: 'failed',
});

/**
 * How an answer ended. Unknown reasons and `OTHER` count as an end if the model wrote anything before, else as a
 * failure.
 * @param said Whether there was text, a call or a picture.
 */
export function endingOf(native: string, hasOutput: boolean): Ending {
  return endings[native] ?? (hasOutput ? 'stop' : 'failed');
}
