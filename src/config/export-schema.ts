import { takesFile } from '../schema/key-names.ts';
import type { JsonObject } from '../util/json.ts';
import type { TSchema } from '../util/json-schema.ts';
import { configSchema } from './schema.ts';

const variable: TSchema = { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}' };

/**
 * The JSON Schema of the configuration file for editors, from the definition that also checks it. A value may be given
 * as `${VAR}` anywhere, so every scalar takes that text too.
 */
export function exportSchema(): JsonObject {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...exportField(configSchema) };
}

function exportField(field: TSchema): TSchema {
  if (field.type === 'object') return exportMap(field);
  const { items, description, default: fallback, ...rules } = field;
  const about = { ...(description && { description }), ...(fallback !== undefined && { default: fallback }) };
  if (field.type === 'array') return { ...rules, ...about, items: items && exportField(items) };
  if (field.anyOf !== undefined) return { ...about, anyOf: field.anyOf.map(exportField) };
  return { ...about, anyOf: [rules, variable] };
}

function exportMap(field: TSchema): TSchema {
  const { properties, additionalProperties: others, required = [], ...rest } = field;
  const needed = required.filter((key) => properties?.[key]?.default === undefined);
  return {
    ...rest,
    // What can be switched off may be `false` itself.
    ...(properties?.enabled?.type === 'boolean'
      ? { type: ['object', 'null', 'boolean'], not: { const: true } }
      : { type: ['object', 'null'] }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).flatMap(exportEntry)) }),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: typeof others === 'object' ? exportField(others) : others,
  };
}

function exportEntry([key, field]: [string, TSchema]): readonly (readonly [string, TSchema])[] {
  const entry = [key, exportField(field)] as const;
  if (!takesFile(field)) return [entry];
  return [entry, [`${key}_file`, { type: 'string', description: `Name of a file that holds ${key}` }]];
}
