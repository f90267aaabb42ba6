import { isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { describeAllowed } from '../schema/describe-allowed.ts';
import { isSecret } from '../schema/key-names.ts';
import { readText, type WrittenValue } from '../schema/read-text.ts';
import { marksOf, type TSchema } from '../util/json-schema.ts';
import { interpolate } from './interpolate.ts';
import { remedyFor } from './nearest.ts';
import type { Reading } from './reading.ts';
import { soundsSecret } from './sounds-secret.ts';

const longestShown = 40;

/** Reads one value that is neither map nor list; undefined after a problem was noted. */
export function readScalar(schema: TSchema, node: Node, path: string, reading: Reading): unknown {
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
  const outcome = readText(schema, scalar);
  if ('value' in outcome) return outcome.value;
  const hidden = isSecret(schema) || (scalar.untyped && !reading.isOverlay(node));
  const remedy = 'correct the value';
  reading.problem(path, {
    problem: `${hidden || holdsCredentials(scalar.text) ? 'the value' : quote(scalar)} ${outcome.problem}`,
    allowed: describeAllowed(schema),
    remedy: hidden ? remedy : remedyFor(scalar.text, (schema.enum ?? []).map(String), remedy),
  });
  return undefined;
}

/** Stands where a secret would; what is in service stays the same. */
export const placeholder = 'missing';
const missingSecret: WrittenValue = { raw: placeholder, text: placeholder, untyped: true };

function isMissingSecret(schema: TSchema, { value }: Scalar, path: string, reading: Reading): boolean {
  if (!isSecret(schema) || typeof value !== 'string' || !reading.isNeedless(path)) return false;
  const { missing, malformed } = interpolate(value, reading.environment);
  return missing.length > 0 && !malformed;
}

/** The scalar's text with its variables filled in, or undefined after a problem was noted. */
export function resolveText(node: Scalar, path: string, reading: Reading): WrittenValue | undefined {
  if (reading.isOverlay(node)) return { raw: node.value, text: String(node.value), untyped: true };
  if (typeof node.value !== 'string') {
    return { raw: node.value, text: node.source ?? String(node.value), untyped: false };
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
  return { raw: text, text, untyped: variables.length > 0 };
}

function warnLiteralSecret(schema: TSchema, scalar: WrittenValue, path: string, reading: Reading): void {
  if (!isSecret(schema) || scalar.untyped) return;
  const { unit } = marksOf(schema);
  if (unit?.name.endsWith(' url') === true && !holdsCredentials(scalar.text)) return;
  const name = path.slice(path.lastIndexOf('.') + 1);
  // Headers have names of the user's: not all are secret, and none has a twin that names a file.
  const isNamedByUser = unit === undefined;
  if (isNamedByUser && !soundsSecret(name)) return;
  const otherWay = isNamedByUser ? '' : ` or by ${name}_file`;
  reading.warn(path, `a secret stands in the file itself; better give it as \${VARIABLE}${otherWay}`);
}

function holdsCredentials(text: string): boolean {
  return /:\/\/[^/]*@/.test(text);
}

function quote({ raw, text }: WrittenValue): string {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
  return typeof raw === 'string' ? JSON.stringify(shown) : shown;
}
