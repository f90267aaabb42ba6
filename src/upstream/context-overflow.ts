const phrases = [
  /prompt is too long/i,
  /maximum context length/i,
  /context[_ ](length|window|size|limit)/i,
  /(exceeds?|larger than|too (long|large) for) the .{0,40}context/i,
  /input (is too long|tokens? exceed)/i,
  /maximum (prompt|model|supported sequence) length/i,
  /(input|prompt) token (count|length) .{0,40}(exceeds|too long)|input token length too long/i,
  /exceeds?(ed)? (the )?(model token limit|max message tokens|max length)/i,
  /range of input length should be/i,
  /too many tokens: |reduce the length of the messages/i,
  /`inputs` (must have less than|tokens \+ `max_new_tokens` must be <=) \d/,
  // What an inference engine says of the room that is left for the answer.
  /max_tokens must be at least 1, got -/,
];

/**
 * Whether a provider's message or error code says that the prompt does not fit the model. Providers give
 * this no status of its own, and most no code, so only their words tell it from other refusals.
 */
export function saysContextOverflow(words: string): boolean {
  return phrases.some((phrase) => phrase.test(words));
}
