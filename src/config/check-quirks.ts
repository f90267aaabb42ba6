import { chatQuirksSchema } from '../core/chat-quirks.ts';
import { isObject } from '../util/json.ts';
import { describeAllowed, type FieldSchema, keyNames } from './field-schema.ts';
import { remedyFor } from './nearest.ts';
import type { Reading } from './reading.ts';

/** Fits nothing: the place of a key nobody knows. */
const never: FieldSchema = { enum: [] };
const chatQuirks = chatQuirksSchema as FieldSchema;

/**
 * Checks the quirks of a provider that speaks chat completions: their names and values are one closed record. Other
 * dialects look at their own few.
 */
export function checkQuirks(
  path: string,
  adapter: string,
  quirks: Readonly<Record<string, unknown>>,
  reading: Reading,
): void {
  if (adapter !== 'openai-chat') return;
  const known = keyNames(chatQuirks);
  for (const [name, value] of Object.entries(quirks)) {
    const field = chatQuirks.properties?.[name];
    const inner = `${path}.quirks.${name}`;
    if (field === undefined) {
      reading.problem(inner, {
        problem: 'unknown key',
        allowed: known.join(', '),
        remedy: remedyFor(name, known, 'remove it'),
      });
    } else if (!fits(field, value)) {
      reading.problem(inner, {
        problem: 'the value does not fit',
        allowed: describeValue(field),
        remedy: 'correct the value',
      });
    }
  }
}

function describeValue(field: FieldSchema): string {
  const words = field.items?.enum;
  return words === undefined ? describeAllowed(field) : `a list of ${words.join(', ')}`;
}

function fits(field: FieldSchema, value: unknown): boolean {
  if (field.enum !== undefined) return typeof value === 'string' && field.enum.includes(value);
  switch (field.type) {
    case 'string':
      return typeof value === 'string' && value.length >= (field.minLength ?? 0);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array': {
      const { items = {} } = field;
      return Array.isArray(value) && value.every((entry) => fits(items, entry));
    }
    case 'object': {
      const { properties } = field;
      if (properties !== undefined) {
        return (
          isObject(value) &&
          Object.entries(value).every(([name, entry]) => fits(properties[name] ?? never, entry))
        );
      }
      const [values = {}] = Object.values(field.patternProperties ?? {});
      return isObject(value) && Object.values(value).every((entry) => fits(values, entry));
    }
    default:
      return true;
  }
}
