import type { OutputLogprob } from '../../../core/delta.ts';
import { createChecker } from '../../../schema/checker.ts';
import { integer, list, number, optional, Type, text } from '../../../util/json-schema.ts';

const members = { token: text(), logprob: number(), bytes: optional(list(integer())) };
const AlternativeSchema = Type.Object(members);

/** The log probabilities an assistant's text may carry (docs/spec/requests.md#content-parts). */
export const LogprobsSchema = list(
  Type.Object({ ...members, top_logprobs: optional(list(AlternativeSchema)) }),
);

const checkLogprobs = createChecker(LogprobsSchema);

/**
 * Reads the log probabilities of a text that is replayed; none where there are none.
 * @throws HeadgateError `invalid_request`.
 */
export function readLogprobs(value: unknown, path: string): readonly OutputLogprob[] | undefined {
  if (value === undefined || value === null) return undefined;
  const tokens = checkLogprobs(value, path).map(({ top_logprobs: others, ...token }) => ({
    ...withBytes(token),
    top_logprobs: (others ?? []).map(withBytes),
  }));
  return tokens.length === 0 ? undefined : tokens;
}

interface Token {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
}

function withBytes({ token, logprob, bytes }: Token): Omit<OutputLogprob, 'top_logprobs'> {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}
