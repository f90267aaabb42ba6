import { HeadgateError } from '../core/errors.ts';

const quoteLimit = 40;
const plainKey = /^[A-Za-z_$][\w$]*$/;

/** A 400: the value at `path` has the wrong type, is out of bounds or is missing (docs/spec/errors.md#400-or-422). */
export function malformed(path: string, problem: string): HeadgateError {
  return new HeadgateError('invalid_request', `${path === '' ? 'body' : path}: ${problem}`);
}

/** A 422: the body fits its schema but the value at `path` contradicts another one (docs/spec/errors.md#400-or-422). */
export function contradictory(path: string, problem: string): HeadgateError {
  return new HeadgateError('unprocessable', `${path}: ${problem}`);
}

/** The path of a member in the request's own spelling: `text.format`, or `metadata["a b"]` for odd keys. */
export function memberPath(parent: string, key: string): string {
  if (key.length > quoteLimit || !plainKey.test(key)) return `${parent}[${quote(key)}]`;
  return parent === '' ? key : `${parent}.${key}`;
}

/** Text in quotes, cut to 40 characters so that no message repeats a prompt. */
export function quote(text: string): string {
  return JSON.stringify(text.length > quoteLimit ? `${text.slice(0, quoteLimit)}...` : text);
}

/** Several words in quotes with commas: what a message says is allowed. */
export function quoteAll(words: Iterable<string>): string {
  return Array.from(words, quote).join(', ');
}

/** What a value is, with its article: "a number", "null". */
export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A value for a message: short text and numbers as they are, anything bigger by its kind. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return nameOf(value);
}
