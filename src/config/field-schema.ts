import { type UnitName, units } from '../settings/units.ts';

/** The part of JSON Schema that the configuration's definition uses, as its reader sees it. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  /** Values of keys that match, for maps with free keys. */
  readonly patternProperties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: boolean;
  readonly items?: FieldSchema;
  readonly minItems?: number;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly 'x-unit'?: UnitName;
  readonly 'x-secret'?: boolean;
}

/** The values a field takes, in words. */
export function describeAllowed(schema: FieldSchema): string {
  const unit = schema['x-unit'];
  if (unit !== undefined) return units[unit].allowed;
  if (schema.enum !== undefined) return schema.enum.join(', ');
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

/** The keys a closed map may have, the `_file` forms of secrets included. */
export function keyNames(schema: FieldSchema): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
    takesFile(field) ? [key, `${key}_file`] : [key],
  );
}

/** Whether the field may also be given as the name of a file that holds it (operations.md 3.2). */
export function takesFile(schema: FieldSchema): boolean {
  return schema['x-secret'] === true && schema.type === 'string';
}

function describeText(schema: FieldSchema): string {
  if (schema.pattern !== undefined) return schema.description ?? `text like ${schema.pattern}`;
  const shortest = schema.minLength ?? 0;
  if (shortest === 0) return 'text';
  return shortest === 1 ? 'text that is not empty' : `text of at least ${shortest} characters`;
}

function describeBounds(schema: FieldSchema): string {
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` from ${minimum}`;
  return exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`;
}
