import { HeadgateError } from '../core/errors.ts';
import { isObject, parseJson } from '../util/json.ts';
import { parseExactly } from './wire/parse-exactly.ts';

/**
 * A wire type as a provider may really send it: any member may be missing or null; only `type` is reliable. The
 * compiler then asks for every member what happens without it.
 */
export type Lenient<T> = T extends readonly (infer Entry)[]
  ? readonly Lenient<Entry>[]
  : T extends { type: infer Type }
    ? { readonly type: Type } & LenientMembers<Omit<T, 'type'>>
    : T extends object
      ? LenientMembers<T>
      : T;

type LenientMembers<T> = { readonly [Key in keyof T]?: Lenient<T[Key]> | null };

/**
 * Parses one JSON object from a provider's event stream.
 * @throws HeadgateError `provider_failed` when the text is not a JSON object.
 */
export function parseEvent<T>(text: string): Lenient<T> {
  return asEvent(parseJson(text));
}

/**
 * Parses an event that contains arguments of a call as values, keeping every digit of their numbers (`parseExactly`).
 * @throws HeadgateError `provider_failed` when the text is not a JSON object.
 */
export function parseEventExactly<T>(text: string): Lenient<T> {
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {}
  return asEvent(value);
}

function asEvent<T>(value: unknown): Lenient<T> {
  if (isObject(value)) return value as Lenient<T>;
  throw new HeadgateError('provider_failed', 'The provider sent an event that is not a JSON object.');
}

/**
 * The error to throw after an exception while reading a provider's answer. Members of unexpected types are the
 * provider's failure, not the gateway's.
 */
export function unreadable(thrown: unknown): HeadgateError {
  if (thrown instanceof HeadgateError) return thrown;
  const text = 'The provider sent an answer that cannot be read.';
  return new HeadgateError('provider_failed', text, { cause: thrown });
}

/** No answer has a billion of anything; a larger count is invalid. */
const largestCount = 1e9;

/**
 * The value if it is a count: a whole number, not negative and below a billion. Anything else is unreported.
 */
export function countOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= largestCount;
  return isCount ? value : undefined;
}

/**
 * The value if it is a count of what was used: a whole number, not negative. A count above a billion is a billion, which
 * nothing can have used either, so that it is noticed instead of being taken for unreported.
 */
export function usedCount(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0;
  return isCount ? Math.min(value, largestCount) : undefined;
}

/** The entries of an array, each of which may be missing; none for any other value. */
export function listOf<Entry>(
  value: readonly Entry[] | null | undefined,
): readonly (Entry | null | undefined)[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The name of the called tool.
 * @throws HeadgateError `provider_failed` when it is missing, because nobody could run the call.
 */
export function calledName(value: unknown): string {
  const name = textOf(value);
  if (name !== undefined) return name;
  throw new HeadgateError('provider_failed', 'The provider sent a tool call without a name.');
}

/** The text of a call's arguments, possibly in pieces; some providers send them as an object. */
export function argumentsText(value: unknown): string | undefined {
  return isObject(value) ? JSON.stringify(value) : textOf(value);
}

/** The value if it is a non-empty text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
