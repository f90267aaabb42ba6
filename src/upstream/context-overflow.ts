const phrases = [
  /prompt is too long/i,
  /maximum context length/i,
  /context[_ ](length|window|size|limit)/i,
  /(exceeds?|larger than|too (long|large) for) the .{0,40}context/i,
  /input (is too long|tokens? exceed)/i,
];

/**
 * Whether a provider's message or error code says that the prompt does not fit the model. Providers give
 * this no status of its own, and most no code, so only their words tell it from other refusals.
 */
export function saysContextOverflow(words: string): boolean {
  return phrases.some((phrase) => phrase.test(words));
}
