/** A JSON object whose members nobody has looked at. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of JSON text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How deep JSON of strangers may be nested that is written again: writing much deeper ones could exhaust the stack. */
export const deepestJson = 256;

/** Whether lists and objects are nested deeper than `deepestJson` levels. */
export function isDeepJson(value: unknown, levels = deepestJson): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeepJson(member, levels - 1));
}
