/**
 * JSON text with U+FFFD for each half of a character in it: many readers refuse the escape of one with all that
 * surrounds it. Texts of models are told in whole characters anyway; titles, messages and echoes of others may be cut.
 */
export function wellFormedJson(json: string): string {
  return json.includes('\\ud') ? json.replace(halfEscapes, '$1\ufffd') : json;
}

/** JSON.stringify escapes halves alone, in small letters; behind another backslash the same letters are text. */
const halfEscapes = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
