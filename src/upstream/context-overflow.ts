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
  // How one inference engine reports that no room is left for the answer.
  /max_tokens must be at least 1, got -/,
];

/**
 * Whether a provider's message or error code says that the prompt exceeds the context. Providers have no separate
 * status for this and most have no code, so only their text distinguishes it.
 */
export function reportsContextOverflow(words: string): boolean {
  return phrases.some((phrase) => phrase.test(words));
}
