import { isDeepJson, isObject, parseJson } from '../util/json.ts';
import { parseExactly } from './wire/parse-exactly.ts';

/**
 * The arguments of a replayed call, for dialects that accept only objects; numbers keep every digit that the model
 * wrote. Invalid or too deeply nested arguments are wrapped as text inside an object.
 */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  const value = parsed === undefined || isDeepJson(parsed) ? undefined : parseExactly(text);
  return isObject(value) ? value : { input: value ?? text };
}
