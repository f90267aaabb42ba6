import { type Schema, Validator } from '@cfworker/json-schema';
import type { SchemaCheck } from './judge-calls.ts';

const types: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

/**
 * Whether a value fits a schema of Draft 7. A schema that is broken is no fault of the value
 * (docs/spec/routing.md#faulty-calls).
 */
export function fitsSchema({ schema, value }: SchemaCheck): boolean {
  if (namesUnknownType(schema)) return true;
  try {
    return new Validator(schema as Schema, '7').validate(value).valid;
  } catch {
    return true;
  }
}

/** Whether all values fit their schemas. Takes time with what strangers wrote, so it belongs in a child process. */
export function allFit(checks: readonly SchemaCheck[]): boolean {
  return checks.every(fitsSchema);
}

/** The validator takes a misspelled type for one that nothing is of. */
function namesUnknownType(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([keyword, value]) => {
    if (keyword === 'const' || keyword === 'enum' || keyword === 'default' || keyword === 'examples')
      return false;
    if (keyword === 'properties' || keyword === 'definitions' || keyword === '$defs')
      return Object.values(value ?? {}).some(namesUnknownType);
    if (keyword === 'type' && !Array.isArray(schema)) return ![value].flat().every((word) => types.has(word));
    return namesUnknownType(value);
  });
}
