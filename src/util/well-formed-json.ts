/**
 * Replaces each lone surrogate in JSON text by U+FFFD, because many readers refuse the whole text otherwise. Text of
 * models has none, but titles, messages and echoes may have been cut.
 */
export function wellFormedJson(json: string): string {
  return json.includes('\\ud') ? json.replace(halfEscapes, '$1\ufffd') : json;
}

/**
 * JSON.stringify escapes only lone surrogates, in lowercase; after another backslash the same characters are text.
 */
const halfEscapes = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
