import { countTokens } from '../util/count-tokens.ts';

/** Rough cost of a picture, a page or a minute of audio. */
const tokensOfMedia = 1000;
/** Texts that begin with so many base64 characters are media or sealed. */
const longestWord = 2048;
const letters = /^[A-Za-z0-9+/=:;,._-]*$/;

/**
 * Estimates the tokens of any part of a request: all its texts, and media at a flat rate. Log probabilities are not
 * sent to a model and do not count.
 */
export function estimateTokens(value: unknown): number {
  if (typeof value === 'string') return isMedia(value) ? tokensOfMedia : countTokens(value);
  if (typeof value !== 'object' || value === null) return 1;
  let tokens = 0;
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined && name !== 'logprobs') tokens += estimateTokens(member);
  }
  return tokens;
}

function isMedia(text: string): boolean {
  return text.length > longestWord && letters.test(text.slice(0, longestWord));
}
