import type { OutputLogprob, TokenLogprob } from '../../core/delta.ts';
import { type Lenient, textOf } from '../lenient.ts';
import type { LogprobsResult } from './wire.ts';

type Token = { readonly token?: string | null; readonly logProbability?: number | null };

/** Log probabilities of the tokens of one answer or event; undefined without any. */
export function readLogprobs(
  result: Lenient<LogprobsResult> | null | undefined,
): readonly OutputLogprob[] | undefined {
  const chosen = result?.chosenCandidates ?? [];
  if (chosen.length === 0) return undefined;
  return chosen.map((token, index) => ({
    ...readToken(token),
    top_logprobs: (result?.topCandidates?.[index]?.candidates ?? []).map(readToken),
  }));
}

/** Zero is omitted everywhere in this dialect. */
function readToken({ token, logProbability }: Token): TokenLogprob {
  const text = textOf(token) ?? '';
  return {
    token: text,
    logprob: typeof logProbability === 'number' ? logProbability : 0,
    bytes: [...Buffer.from(text)],
  };
}
