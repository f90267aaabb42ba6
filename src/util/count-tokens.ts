import { estimateTokenCount } from 'tokenx';
import { countAsciiTokens } from './count-ascii-tokens.ts';

/** Longest text, in UTF-16 units, that is counted whole; of a longer one slices are, spread over it. */
const countedWhole = 512;
const slices = 8;
const sliceLength = 64;

/**
 * Where the package counts too few tokens, by the measurements of docs/token-estimates.md: scripts it has no row for,
 * and random letters and digits, such as base64.
 */
const calibration = {
  languageConfigs: [
    { pattern: /[\u0600-\u06ff]/, averageCharsPerToken: 3.4 },
    { pattern: /[\u0900-\u097f]/, averageCharsPerToken: 3.5 },
    { pattern: /^(?=.*\d)(?=.*[A-Z])[A-Za-z0-9+/=_-]{10,}$/, averageCharsPerToken: 1.5 },
  ],
};

/** What any text has that the calibration matters to: without it every word would be tried against each row. */
const calibrated = /[\u0600-\u06ff\u0900-\u097f\d]/;

/**
 * About how many tokens a text is, whoever's tokenizer counts them. Takes a few hundredths of a millisecond however
 * long the text; docs/token-estimates.md tells how far off it is.
 */
export function countTokens(text: string): number {
  return countTokensOf([text]);
}

/** About how many tokens texts are together, for the time one long text takes. */
export function countTokensOf(texts: readonly string[]): number {
  const length = lengthOf(texts);
  if (length <= countedWhole) return countAll(texts);
  return Math.ceil((countAll(sample(texts, length)) * length) / (slices * sliceLength));
}

/** Slices at even distances of texts that stand one after the other; one across a border comes in pieces. */
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

/** The same for a text in any script. */
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
