import { estimateTokenCount } from 'tokenx';

/** Longest text, in UTF-16 units, that is counted whole; of a longer one slices are, spread over it. */
const countedWhole = 1024;
const slices = 8;
const sliceLength = 128;

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

/**
 * About how many tokens a text is, whoever's tokenizer counts them. Takes at most about a tenth of a millisecond
 * however long the text; docs/token-estimates.md tells how far off it is.
 */
export function countTokens(text: string): number {
  const { length } = text;
  if (length <= countedWhole) return estimateTokenCount(text, calibration);
  let tokens = 0;
  for (let slice = 0; slice < slices; slice++) {
    const start = Math.floor(((length - sliceLength) * slice) / (slices - 1));
    tokens += estimateTokenCount(text.slice(start, start + sliceLength), calibration);
  }
  return Math.ceil((tokens * length) / (slices * sliceLength));
}
