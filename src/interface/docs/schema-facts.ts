import type { TSchema } from '../../util/json-schema.ts';

const reference = '#/components/schemas/';

/** The name of the schema a reference leads to, and whatever the reference names within it. */
export function refName(ref: string): string {
  return ref.replace(reference, '');
}

/** The types a schema takes, or the values where only some are taken. */
export function typesOf({ type, enum: words }: TSchema): readonly string[] {
  if (words !== undefined) return words.map((word) => JSON.stringify(word));
  if (type === undefined) return ['anything'];
  return typeof type === 'string' ? [type] : type;
}

/** Whether it is an object whose members are known. */
export function hasMembers({ properties }: TSchema): boolean {
  return properties !== undefined;
}

/** Everything else a value has to keep to. */
export function limitsOf(schema: TSchema): readonly string[] {
  const { format, pattern, additionalProperties, propertyNames } = schema;
  return [
    format,
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'element'),
    range(undefined, schema.maxProperties, 'member'),
    pattern === undefined ? undefined : `matches ${pattern}`,
    additionalProperties === false ? 'no other members' : undefined,
    propertyNames === undefined ? undefined : `names: ${limitsOf(propertyNames).join(', ')}`,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((limit) => limit !== undefined);
}

function range(least: number | undefined, most: number | undefined, unit?: string): string | undefined {
  const last = most ?? least;
  if (last === undefined) return undefined;
  const units = unit === undefined ? '' : ` ${unit}${last === 1 ? '' : 's'}`;
  if (least === undefined) return `at most ${last}${units}`;
  return most === undefined ? `at least ${last}${units}` : `${least} to ${last}${units}`;
}
