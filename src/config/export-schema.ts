import type { JsonObject } from '../util/json.ts';
import { type FieldSchema, takesFile } from './field-schema.ts';
import { configSchema } from './schema.ts';

/**
 * The JSON Schema of the configuration file for editors, from the one definition that also checks it. A
 * value may be given as `${VAR}` anywhere, so every scalar takes that text too.
 */
export function exportSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...exportField(configSchema as FieldSchema),
  };
}

function exportField(field: FieldSchema): Record<string, unknown> {
  if (field.type === 'object') return exportMap(field);
  const { 'x-unit': _unit, 'x-secret': _secret, items, description, default: fallback, ...rules } = field;
  const about = { ...(description && { description }), ...(fallback !== undefined && { default: fallback }) };
  if (field.type === 'array') return { ...rules, ...about, items: items && exportField(items) };
  return { ...about, anyOf: [rules, { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}' }] };
}

function exportMap(field: FieldSchema): Record<string, unknown> {
  const { 'x-secret': _secret, properties, patternProperties, required, ...rest } = field;
  const result: Record<string, unknown> = { ...rest, type: ['object', 'null'] };
  if (properties !== undefined) {
    result.properties = Object.fromEntries(Object.entries(properties).flatMap(exportEntry));
    const needed = (required ?? []).filter((key) => properties[key]?.default === undefined);
    if (needed.length > 0) result.required = needed;
  }
  if (patternProperties !== undefined) {
    const entries = Object.entries(patternProperties);
    result.patternProperties = Object.fromEntries(entries.map(([key, value]) => [key, exportField(value)]));
    result.additionalProperties = false;
  }
  return result;
}

function exportEntry([key, field]: [string, FieldSchema]): readonly (readonly [string, unknown])[] {
  const entry = [key, exportField(field)] as const;
  if (!takesFile(field)) return [entry];
  return [entry, [`${key}_file`, { type: 'string', description: `Name of a file that holds ${key}` }]];
}
