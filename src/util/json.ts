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
