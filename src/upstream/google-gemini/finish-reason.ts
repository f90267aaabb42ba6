import type { FinishReason } from '../../core/delta.ts';
import { wordTable } from '../../util/word-table.ts';

/** What a model's last word means: an end, or a failure that another attempt may not have. */
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
 * How an answer ended. Reasons nobody has named yet, and `OTHER`, are an end if the model said anything before, and
 * a failure if it did not.
 * @param said Whether there was text, a call or a picture.
 */
export function endingOf(native: string, said: boolean): Ending {
  return endings[native] ?? (said ? 'stop' : 'failed');
}
