import { countTokens } from '../util/count-tokens.ts';

/** About what a picture, a page or a minute of sound costs. */
const tokensOfMedia = 1000;
/** Texts that begin with so many letters of base64 are media or sealed. */
const longestWord = 2048;
const letters = /^[A-Za-z0-9+/=:;,._-]*$/;

/**
 * About how many tokens anything that goes into a request is: all texts in it, media at a flat rate. Log
 * probabilities reach no model.
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
