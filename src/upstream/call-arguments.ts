import { isObject, parseJson } from '../core/json.ts';
import { parseExactly } from './wire/parse-exactly.ts';

/**
 * The arguments of a replayed call for dialects that take objects only, with every digit the model wrote. Broken
 * arguments of other models stay readable inside an object.
 */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const value = parseJson(text) === undefined ? undefined : parseExactly(text);
  return isObject(value) ? value : { input: value ?? text };
}
