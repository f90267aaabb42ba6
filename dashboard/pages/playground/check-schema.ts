import { Validator } from '@cfworker/json-schema';
import type { Body } from './draft.ts';

/** What keeps a text from fitting a schema, in words; nothing where it fits. */
export function faultsOf(text: string, schema: Body): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [`It is no JSON: ${error instanceof Error ? error.message : ''}`];
  }
  try {
    const { errors } = new Validator(schema, '2020-12', false).validate(value);
    // The last ones are the places; those before say only that something within them is wrong.
    return errors
      .slice(-3)
      .map(({ instanceLocation, error }) => `${instanceLocation.slice(2) || 'The whole'}: ${error}`);
  } catch (error) {
    return [`The schema cannot be used: ${error instanceof Error ? error.message : ''}`];
  }
}
