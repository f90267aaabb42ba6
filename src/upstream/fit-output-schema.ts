import { isObject, type JsonObject } from '../util/json.ts';
import { plainReferences } from './plain-references.ts';

/** Members that an enforced schema may have besides its structure. */
const kept: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'enum',
  'const',
  'default',
  'required',
  'format',
  'pattern',
  '$ref',
]);
const schemaMaps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'allOf']);
const stringFormats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/**
 * Adapts a JSON schema for structured output and strict functions of Claude's providers. Objects are closed; limits
 * that the decoder cannot enforce (lengths, ranges, counts) move into the description, so that the model still knows
 * them.
 */
export function fitOutputSchema(schema: JsonObject): JsonObject {
  const fitted: Record<string, unknown> = {};
  const limits: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    const member = fitMember(key, value);
    if (member !== undefined) fitted[member[0]] = member[1];
    else if (key !== '$schema' && key !== 'additionalProperties')
      limits.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (schema.type === 'object' || isObject(schema.properties)) fitted.additionalProperties = false;
  if (limits.length > 0) {
    fitted.description = [schema.description, `{${limits.join(', ')}}`].filter(Boolean).join('\n\n');
  }
  return fitted;
}

/** A member under an accepted name; undefined where it must move into the description. */
function fitMember(key: string, value: unknown): readonly [string, unknown] | undefined {
  if (schemaMaps.has(key) && isObject(value)) {
    return [key, Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, fitEntry(entry)]))];
  }
  if (schemaLists.has(key) && Array.isArray(value)) return [key, value.map(fitEntry)];
  if (key === 'oneOf' && Array.isArray(value)) return ['anyOf', value.map(fitEntry)];
  if (key === 'items') return [key, fitEntry(value)];
  if (key === 'minItems' && (value === 0 || value === 1)) return [key, value];
  if (key === 'format' && !stringFormats.has(value)) return undefined;
  if (key === 'pattern' && looksAround(value)) return undefined;
  return kept.has(key) ? [key, value] : undefined;
}

function fitEntry(value: unknown): unknown {
  return isObject(value) ? fitOutputSchema(value) : value;
}

/** Whether a pattern looks ahead, behind or back, which no decoder that enforces a schema can. */
function looksAround(pattern: unknown): boolean {
  return typeof pattern === 'string' && /\(\?(<?[=!])|\\[1-9]|\\k</.test(pattern);
}

/** The schema with patterns that look around in descriptions instead, so that the model still knows them. */
export function withoutLookAround(schema: JsonObject): JsonObject {
  return moveLookAround(schema) as JsonObject;
}

/** The schema as decoders of OpenAI's dialects take it to hold a model to it. */
export function enforceable(schema: JsonObject): JsonObject {
  return plainReferences(withoutLookAround(schema));
}

/** Members whose value is a schema, or a list of schemas; those of all others are data. */
const schemaMembers: ReadonlySet<string> = new Set([
  ...['anyOf', 'allOf', 'oneOf', 'prefixItems', 'items', 'contains'],
  ...['additionalProperties', 'not', 'if', 'then', 'else'],
]);

function moveLookAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveLookAround);
  if (!isObject(value)) return value;
  const moved = Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => {
      if (key === 'pattern' && looksAround(entry)) return [];
      if (schemaMembers.has(key)) return [[key, moveLookAround(entry)]];
      if (!schemaMaps.has(key) || !isObject(entry)) return [[key, entry]];
      return [
        [key, Object.fromEntries(Object.entries(entry).map(([name, one]) => [name, moveLookAround(one)]))],
      ];
    }),
  );
  if (!looksAround(value.pattern)) return moved;
  const told = `{pattern: ${JSON.stringify(value.pattern)}}`;
  return { ...moved, description: [value.description, told].filter(Boolean).join('\n\n') };
}
