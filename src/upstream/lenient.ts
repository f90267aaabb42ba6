import { HeadgateError } from '../core/errors.ts';

/**
 * A wire type as a provider may really send it: any member may be missing or null, only `type` is relied
 * on. Reading through it makes the compiler ask what happens when a member is not there.
 */
export type Lenient<T> = T extends readonly (infer Entry)[]
  ? readonly Lenient<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Key extends 'type' ? T[Key] : Lenient<T[Key]> | null }
    : T;

/**
 * Parses one JSON object a provider sent in its event stream.
 * @throws HeadgateError `provider_failed` when the text is not a JSON object.
 */
export function parseEvent<T>(text: string): Lenient<T> {
  const value = parseJson(text);
  if (isObject(value)) return value as Lenient<T>;
  throw new HeadgateError('provider_failed', 'The provider sent an event that is not a JSON object.');
}

/** The value of JSON text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a text with at least one character. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
