/** A JSON object with unchecked members. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether text is an object in JSON that can be written again. */
export function isObjectText(text: string): boolean {
  const value = parseJson(text);
  return isObject(value) && !isDeepJson(value);
}

/** The nesting limit of foreign JSON that is written again: deeper values could exhaust the stack. */
export const deepestJson = 256;

/** Whether arrays and objects are nested deeper than `deepestJson` levels. */
export function isDeepJson(value: unknown, levels = deepestJson): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeepJson(member, levels - 1));
}

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

const quotationMark = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/**
 * Whether JSON consists of more values than `most`: arrays, objects, and commas between members. Check it before
 * parsing foreign JSON: two bytes may become an array or object of fifty, so a text of the allowed size could fill
 * gigabytes and block the process for seconds.
 * @param json For invalid JSON the count is arbitrary.
 */
export function hasMoreValues(json: Buffer, most: number): boolean {
  // Each counted value takes a byte.
  if (json.length <= most) return false;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quotationMark) at = endOfText(json, at);
    else if (byte === comma || byte === openBracket || byte === openBrace) values += 1;
  }
  return values > most;
}

/** The end of the text that begins at `start`: a quotation mark after an even number of backslashes. */
function endOfText(json: Buffer, start: number): number {
  let end = json.indexOf(quotationMark, start + 1);
  while (end !== -1) {
    let before = end - 1;
    while (json[before] === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
    end = json.indexOf(quotationMark, end + 1);
  }
  return json.length;
}
