import { marksOf, type TSchema } from '../util/json-schema.ts';

/** A single value as it was written. */
export interface WrittenValue {
  /** What the format it was written in makes of it. */
  readonly raw: unknown;
  readonly text: string;
  /** Whether it came as text alone, as variables and query parameters do, so that the text may mean any type. */
  readonly untyped: boolean;
}

/** The value that was meant, or what is wrong with it, in words that follow the value. */
export type ReadValue = { readonly value: unknown } | { readonly problem: string };

/** Reads a single value by its schema: unit, type, bounds and words. */
export function readText(schema: TSchema, written: WrittenValue): ReadValue {
  const { unit } = marksOf(schema);
  if (unit === undefined) return readPlain(schema, written);
  if (typeof written.raw === 'boolean') return { problem: `is no ${unit.name}` };
  try {
    return { value: unit.read(written.text) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problem: error.message.replace(/^".*" /, '') };
  }
}

function readPlain(schema: TSchema, written: WrittenValue): ReadValue {
  if (schema.anyOf !== undefined) return readAlternative(schema.anyOf, written);
  switch (schema.type) {
    case 'boolean':
      return readFlag(written);
    case 'integer':
    case 'number':
      return readNumber(schema, written);
    default:
      return readWords(schema, written);
  }
}

/** Reads the value by the first alternative that takes it. The problem is that of the alternative whose type it has. */
function readAlternative(alternatives: readonly TSchema[], written: WrittenValue): ReadValue {
  let problem = 'is none of these';
  for (const schema of alternatives) {
    if (schema.type === 'array') continue;
    const outcome = readPlain(schema, written);
    if ('value' in outcome) return outcome;
    if (schema.type === 'integer' && typeof written.raw === 'number') ({ problem } = outcome);
  }
  return { problem };
}

function readFlag({ raw, text, untyped }: WrittenValue): ReadValue {
  if (typeof raw === 'boolean') return { value: raw };
  if (untyped && (text === 'true' || text === 'false')) return { value: text === 'true' };
  return { problem: 'is neither true nor false' };
}

function readNumber(schema: TSchema, { raw, text, untyped }: WrittenValue): ReadValue {
  const isNumeric = untyped && /^[+-]?\d+(\.\d+)?$/.test(text);
  const value = typeof raw === 'number' ? raw : isNumeric ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return { problem: 'is not a number' };
  if (schema.type === 'integer' && !Number.isSafeInteger(value)) return { problem: 'is not a whole number' };
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (minimum !== undefined && value < minimum) return { problem: `is below ${minimum}` };
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
    return { problem: `is not above ${exclusiveMinimum}` };
  }
  if (maximum !== undefined && value > maximum) return { problem: `is above ${maximum}` };
  return { value };
}

function readWords(schema: TSchema, { raw, text }: WrittenValue): ReadValue {
  if (typeof raw !== 'string') return { problem: 'is not text' };
  if (schema.enum !== undefined && !schema.enum.includes(text)) return { problem: 'is not known' };
  if (text.length < (schema.minLength ?? 0)) return { problem: 'is too short' };
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(text)) {
    return { problem: 'does not have the right form' };
  }
  return { value: text };
}
