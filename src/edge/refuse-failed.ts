import type { EndedPart } from '../core/answer-part.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';

/**
 * Refuses an unstreamed answer that failed, in a dialect that has no failed answers.
 * @throws RefusedCall.
 */
export function refuseFailed({ error, report }: EndedPart, { failsWhole }: PublicDialect): void {
  if (error !== undefined && failsWhole === true) throw new RefusedCall(error, { report });
}
