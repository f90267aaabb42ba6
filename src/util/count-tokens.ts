import { estimateTokenCount } from 'tokenx';
import { countAsciiTokens } from './count-ascii-tokens.ts';

/** Longest text, in UTF-16 units, that is counted completely; of a longer one, slices are counted. */
const countedWhole = 512;
const slices = 8;
const sliceLength = 64;

/**
 * Where the package counts too few tokens, by the measurements of docs/token-estimates.md: scripts without a row of
 * its own, and random letters and digits, such as base64.
 */
const calibration = {
  languageConfigs: [
    { pattern: /[\u0600-\u06ff]/, averageCharsPerToken: 3.4 },
    { pattern: /[\u0900-\u097f]/, averageCharsPerToken: 3.5 },
    { pattern: /^(?=.*\d)(?=.*[A-Z])[A-Za-z0-9+/=_-]{10,}$/, averageCharsPerToken: 1.5 },
  ],
};

/**
 * Matches any text that the calibration affects; for others, trying every word against each row would be wasted.
 */
const calibrated = /[\u0600-\u06ff\u0900-\u097f\d]/;

/**
 * Estimates the tokens of a text for any tokenizer. Takes a few hundredths of a millisecond however long the text;
 * docs/token-estimates.md states the error.
 */
export function countTokens(text: string): number {
  return countTokensOf([text]);
}

/** Estimates the tokens of several texts together, in the time for one long text. */
export function countTokensOf(texts: readonly string[]): number {
  const length = lengthOf(texts);
  if (length <= countedWhole) return countAll(texts);
  return Math.ceil((countAll(sample(texts, length)) * length) / (slices * sliceLength));
}

/** Slices at even distances from concatenated texts; one across a border comes in two pieces. */
function sample(texts: readonly string[], length: number): readonly string[] {
  const pieces: string[] = [];
  let before = 0;
  let slice = 0;
  for (const text of texts) {
    const end = before + text.length;
    while (slice < slices) {
      const start = Math.floor(((length - sliceLength) * slice) / (slices - 1));
      if (start >= end) break;
      pieces.push(text.slice(Math.max(start - before, 0), start + sliceLength - before));
      if (start + sliceLength > end) break;
      slice += 1;
    }
    before = end;
  }
  return pieces;
}

/** The estimate for a text in any script. */
export function estimateByScript(text: string): number {
  return estimateTokenCount(text, calibrated.test(text) ? calibration : undefined);
}

function countAll(texts: readonly string[]): number {
  let tokens = 0;
  for (const text of texts) {
    tokens += countAsciiTokens(text) ?? estimateByScript(text);
  }
  return tokens;
}

function lengthOf(texts: readonly string[]): number {
  let length = 0;
  for (const text of texts) length += text.length;
  return length;
}
