import { isDeepJson, isObject, parseJson } from '../util/json.ts';
import { parseExactly } from './wire/parse-exactly.ts';

/**
 * The arguments of a replayed call for dialects that take objects only, with every digit the model wrote. Broken
 * arguments of other models, and such as are nested too deep to be written again, stay readable inside an object.
 */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const parsed = parseJson(text);
  const value = parsed === undefined || isDeepJson(parsed) ? undefined : parseExactly(text);
  return isObject(value) ? value : { input: value ?? text };
}
