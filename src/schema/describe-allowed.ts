import { marksOf, type TSchema } from '../util/json-schema.ts';
import { keyNames } from './key-names.ts';

/** The values a schema takes, in words. */
export function describeAllowed(schema: TSchema): string {
  const { unit } = marksOf(schema);
  if (unit !== undefined) return unit.allowed;
  if (schema.enum !== undefined) return schema.enum.join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(describeAlternative).join(', or ');
  switch (schema.type) {
    case 'integer':
      return `a whole number${describeBounds(schema)}`;
    case 'number':
      return `a number${describeBounds(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return (schema.minItems ?? 0) > 0 ? 'a list with at least one entry' : 'a list';
    case 'object':
      return schema.properties === undefined ? 'a map' : `a map of ${keyNames(schema).join(', ')}`;
    default:
      return describeText(schema);
  }
}

function describeAlternative(schema: TSchema): string {
  const { items } = schema;
  const entries = items === undefined ? '' : `, each ${describeAllowed(items)}`;
  return describeAllowed(schema) + entries;
}

function describeText({ pattern, description, minLength: shortest = 0 }: TSchema): string {
  if (pattern !== undefined) return description ?? `text like ${pattern}`;
  if (shortest === 0) return 'text';
  return shortest === 1 ? 'text that is not empty' : `text of at least ${shortest} characters`;
}

function describeBounds({ minimum, exclusiveMinimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  return exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`;
}
