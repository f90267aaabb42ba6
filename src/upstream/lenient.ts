import { HeadgateError } from '../core/errors.ts';
import { isObject, parseJson } from '../util/json.ts';
import { parseExactly } from './wire/parse-exactly.ts';

/**
 * A wire type as a provider may really send it: any member may be missing or null, only `type` is relied
 * on. Reading through it makes the compiler ask what happens when a member is not there.
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
 * Parses one JSON object a provider sent in its event stream.
 * @throws HeadgateError `provider_failed` when the text is not a JSON object.
 */
export function parseEvent<T>(text: string): Lenient<T> {
  return asEvent(parseJson(text));
}

/**
 * The same for an event that holds arguments of a call as values: with every digit of their numbers (`parseExactly`).
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
 * What to throw for an error met while reading a provider's answer: a provider whose members have types no
 * wire type foresees has failed, not the gateway.
 */
export function unreadable(thrown: unknown): HeadgateError {
  if (thrown instanceof HeadgateError) return thrown;
  const text = 'The provider sent an answer that cannot be read.';
  return new HeadgateError('provider_failed', text, { cause: thrown });
}

/** No answer has a billion of anything: what says so was not counted. */
const largestCount = 1e9;

/** The value if it is a count: a whole number, not negative and not absurd. What is none was not reported. */
export function countOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= largestCount;
  return isCount ? value : undefined;
}

/** The entries of a value if it is a list, each of which may be missing; of any other there are none. */
export function listOf<Entry>(
  value: readonly Entry[] | null | undefined,
): readonly (Entry | null | undefined)[] {
  return Array.isArray(value) ? value : [];
}

/**
 * The name of the tool a call is for.
 * @throws HeadgateError `provider_failed` when it has none, for then nobody could run it.
 */
export function calledName(value: unknown): string {
  const name = textOf(value);
  if (name !== undefined) return name;
  throw new HeadgateError('provider_failed', 'The provider sent a tool call without a name.');
}

/** The text of a call's arguments, perhaps in pieces; some providers give them whole, as an object. */
export function argumentsText(value: unknown): string | undefined {
  return isObject(value) ? JSON.stringify(value) : textOf(value);
}

/** The value if it is a text with at least one character. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
