import { isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { units } from '../settings/units.ts';
import { describeAllowed, type FieldSchema } from './field-schema.ts';
import { interpolate } from './interpolate.ts';
import { remedyFor } from './nearest.ts';
import type { Reading } from './reading.ts';
import { soundsSecret } from './sounds-secret.ts';

const longestShown = 40;

/** A scalar's text with what is known of it. */
interface ScalarText {
  readonly raw: unknown;
  readonly text: string;
  /** True when the text is not what the file says itself: from a variable, the environment or a flag. */
  readonly external: boolean;
}

/** Reads one value that is neither map nor list; undefined after a problem was noted. */
export function readScalar(schema: FieldSchema, node: Node, path: string, reading: Reading): unknown {
  if (!isScalar(node)) {
    reading.problem(path, {
      problem: `${isMap(node) ? 'a map' : isSeq(node) ? 'a list' : 'this'} does not belong here`,
      allowed: describeAllowed(schema),
      remedy: 'write a single value',
    });
    return undefined;
  }
  const scalar = isMissingSecret(schema, node, path, reading)
    ? missingSecret
    : resolveText(node, path, reading);
  if (scalar === undefined) return undefined;
  warnLiteralSecret(schema, scalar, path, reading);
  const outcome = convert(schema, scalar);
  if ('value' in outcome) return outcome.value;
  const hidden = schema['x-secret'] === true || (scalar.external && !reading.isOverlay(node));
  const remedy = 'correct the value';
  reading.problem(path, {
    problem: `${hidden || holdsCredentials(scalar.text) ? 'the value' : quote(scalar)} ${outcome.problem}`,
    allowed: describeAllowed(schema),
    remedy: hidden ? remedy : remedyFor(scalar.text, schema.enum ?? [], remedy),
  });
  return undefined;
}

/** Stands where a secret would; what is in service stays the same. */
export const placeholder = 'missing';
const missingSecret: ScalarText = { raw: placeholder, text: placeholder, external: true };

function isMissingSecret(schema: FieldSchema, { value }: Scalar, path: string, reading: Reading): boolean {
  if (schema['x-secret'] !== true || typeof value !== 'string' || !reading.isNeedless(path)) return false;
  const { missing, malformed } = interpolate(value, reading.environment);
  return missing.length > 0 && !malformed;
}

/** The scalar's text with its variables filled in, or undefined after a problem was noted. */
export function resolveText(node: Scalar, path: string, reading: Reading): ScalarText | undefined {
  if (reading.isOverlay(node)) return { raw: node.value, text: String(node.value), external: true };
  if (typeof node.value !== 'string') {
    return { raw: node.value, text: node.source ?? String(node.value), external: false };
  }
  const { text, variables, missing, malformed } = interpolate(node.value, reading.environment);
  for (const name of missing) {
    reading.problem(path, {
      problem: `environment variable ${name} is not set`,
      allowed: `\${NAME} of a variable that is set`,
      remedy: `set ${name} or remove the key`,
    });
  }
  if (malformed) {
    reading.problem(path, {
      problem: `"\${" does not name a variable`,
      allowed: `\${NAME}`,
      remedy: `close the brace, or write $\${ for a plain \${`,
    });
  }
  if (malformed || missing.length > 0) return undefined;
  return { raw: text, text, external: variables.length > 0 };
}

type Outcome = { readonly value: unknown } | { readonly problem: string };

function convert(schema: FieldSchema, scalar: ScalarText): Outcome {
  const unit = schema['x-unit'];
  if (unit === undefined) return convertPlain(schema, scalar);
  if (typeof scalar.raw === 'boolean') return { problem: `is no ${unit.replaceAll('_', ' ')}` };
  try {
    return { value: units[unit].read(scalar.text) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problem: error.message.replace(/^".*" /, '') };
  }
}

function convertPlain(schema: FieldSchema, scalar: ScalarText): Outcome {
  switch (schema.type) {
    case 'boolean':
      return convertBoolean(scalar);
    case 'integer':
    case 'number':
      return convertNumber(schema, scalar);
    default:
      return convertText(schema, scalar);
  }
}

function convertBoolean({ raw, text, external }: ScalarText): Outcome {
  if (typeof raw === 'boolean') return { value: raw };
  if (external && (text === 'true' || text === 'false')) return { value: text === 'true' };
  return { problem: 'is neither true nor false' };
}

function convertNumber(schema: FieldSchema, { raw, text, external }: ScalarText): Outcome {
  const isNumeric = external && /^[+-]?\d+(\.\d+)?$/.test(text);
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

function convertText(schema: FieldSchema, { raw, text }: ScalarText): Outcome {
  if (typeof raw !== 'string') return { problem: 'is not text' };
  if (schema.enum !== undefined && !schema.enum.includes(text)) return { problem: 'is not known' };
  if (text.length < (schema.minLength ?? 0)) return { problem: 'is too short' };
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(text)) {
    return { problem: 'does not have the right form' };
  }
  return { value: text };
}

function warnLiteralSecret(schema: FieldSchema, scalar: ScalarText, path: string, reading: Reading): void {
  if (schema['x-secret'] !== true || scalar.external) return;
  if (schema['x-unit']?.endsWith('_url') === true && !holdsCredentials(scalar.text)) return;
  const name = path.slice(path.lastIndexOf('.') + 1);
  // Headers have names of the user's: not all are secret, and none has a twin that names a file.
  const isNamedByUser = schema['x-unit'] === undefined;
  if (isNamedByUser && !soundsSecret(name)) return;
  const otherWay = isNamedByUser ? '' : ` or by ${name}_file`;
  reading.warn(path, `a secret stands in the file itself; better give it as \${VARIABLE}${otherWay}`);
}

function holdsCredentials(text: string): boolean {
  return /:\/\/[^/]*@/.test(text);
}

function quote({ raw, text }: ScalarText): string {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
  return typeof raw === 'string' ? JSON.stringify(shown) : shown;
}
