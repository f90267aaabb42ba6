import { resolve } from 'node:path';
import { isMap, isScalar, isSeq, type Node, Scalar, type YAMLMap } from 'yaml';
import { describeAllowed } from '../schema/describe-allowed.ts';
import { isSecret, keyNames, takesFile } from '../schema/key-names.ts';
import { readText, type WrittenValue } from '../schema/read-text.ts';
import type { Environment } from '../util/environment.ts';
import { marked, marksOf, type TSchema, text } from '../util/json-schema.ts';
import { readSecretFile } from '../util/read-secret-file.ts';
import { reasonOf } from './config-error.ts';
import { looksLikeSecret } from './looks-like-secret.ts';
import { remedyFor } from './nearest.ts';
import { keyPath, type Reading } from './reading.ts';

const deepestFreeForm = 50;

/**
 * Reads a node as the schema says: types, bounds, units, variables and defaults in one pass. What is wrong
 * is noted in `reading` and left out of the result, so a result is whole only when no problem was noted.
 */
export function readField(schema: TSchema, written: unknown, path: string, reading: Reading): unknown {
  const node = reading.resolve(written);
  reading.mark(path, node);
  if (node === undefined) return readDefault(schema, path, reading);
  if (schema.type === 'object') return readMap(schema, node, path, reading);
  if (schema.type === 'array') return readList(schema, node, path, reading);
  const list = isSeq(node) ? schema.anyOf?.find(({ type }) => type === 'array') : undefined;
  if (list !== undefined) return readList(list, node, path, reading);
  return readScalar(schema, node, path, reading);
}

function readDefault(schema: TSchema, path: string, reading: Reading): unknown {
  if (schema.default === undefined) return undefined;
  if (Array.isArray(schema.default)) return [...schema.default];
  if (schema.type === 'object') return schema.properties ? readKnown(schema, new Map(), path, reading) : {};
  return readScalar(schema, new Scalar(schema.default), path, reading);
}

function readMap(schema: TSchema, node: Node, path: string, reading: Reading): unknown {
  const entries = new Map<string, Entry>();
  if (isSwitchedOff(schema, node)) {
    entries.set('enabled', { key: node, value: node });
    return readKnown(schema, entries, path, reading);
  }
  if (!isMap(node)) {
    wrongShape(schema, node, path, reading);
    return undefined;
  }
  for (const { key, value } of node.items) {
    entries.set(keyName(key), { key: isScalar(key) ? key : node, value });
  }
  if (schema.properties !== undefined) return readKnown(schema, entries, path, reading);
  const { additionalProperties: values, propertyNames } = schema;
  if (typeof values !== 'object') return plainValue(node, path, reading, 0);
  const pattern = new RegExp(propertyNames?.pattern ?? '');
  return readFree(
    pattern,
    isSecret(schema) ? marked(values, { secret: true }) : values,
    entries,
    path,
    reading,
  );
}

/** Whether `false` stands for a section, which is its `enabled: false`. */
function isSwitchedOff(schema: TSchema, node: Node): node is Scalar {
  return schema.properties?.enabled?.type === 'boolean' && isScalar(node) && node.value === false;
}

/** Keys laid over the document are plain text, parsed ones are nodes. */
function keyName(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

interface Entry {
  readonly key: Scalar | YAMLMap;
  readonly value: unknown;
}

type Entries = ReadonlyMap<string, Entry>;

/** A map whose keys are all named in the schema. */
function readKnown(schema: TSchema, entries: Entries, path: string, reading: Reading): unknown {
  refuseUnknown(schema, entries, path, reading);
  const result: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    const inner = keyPath(path, key);
    const written = takesFile(field) ? secretSource(key, entries, path, reading) : entries.get(key)?.value;
    const value = readField(field, written, inner, reading);
    if (value !== undefined) result[key] = value;
    else if (isMissing(schema, key, field, written, reading)) {
      reading.problem(path, {
        problem: `${key} is missing`,
        allowed: describeAllowed(field),
        remedy: `add ${key}`,
      });
    }
  }
  return result;
}

function isMissing(schema: TSchema, key: string, field: TSchema, written: unknown, reading: Reading) {
  const required = schema.required?.includes(key) === true && field.default === undefined;
  return required && reading.resolve(written) === undefined;
}

function refuseUnknown(schema: TSchema, entries: Entries, path: string, reading: Reading): void {
  const known = keyNames(schema);
  for (const [name, { key }] of entries) {
    if (known.includes(name)) continue;
    reading.problem(
      keyPath(path, name),
      {
        problem: 'unknown key',
        allowed: known.join(', '),
        remedy: remedyFor(name, known, 'remove it'),
      },
      key,
    );
  }
}

/** A map whose keys are names the user chose. */
function readFree(
  pattern: RegExp,
  values: TSchema,
  entries: Entries,
  path: string,
  reading: Reading,
): unknown {
  const result: Record<string, unknown> = {};
  for (const [name, { key, value }] of entries) {
    const inner = keyPath(path, name);
    if (!pattern.test(name) || name === '__proto__') {
      reading.problem(
        inner,
        {
          problem: 'the name does not have the right form',
          allowed: 'lowercase letters, digits and . _ - with a letter or digit first',
          remedy: 'rename it',
        },
        key,
      );
      continue;
    }
    const empty = reading.resolve(value) === undefined && values.default === undefined;
    if (empty) reading.problem(inner, emptyValue(values), key);
    result[name] = readField(values, value, inner, reading);
  }
  return result;
}

function readList(schema: TSchema, node: Node, path: string, reading: Reading): unknown {
  const { items, minItems = 0 } = schema;
  if (!isSeq(node) || node.items.length < minItems) {
    wrongShape(schema, node, path, reading);
    return undefined;
  }
  if (items === undefined) return plainValue(node, path, reading, 0);
  return node.items.map((item, index) => {
    const inner = `${path}[${index}]`;
    if (reading.resolve(item) === undefined) {
      reading.problem(inner, emptyValue(items));
      return undefined;
    }
    return readField(items, item, inner, reading);
  });
}

function wrongShape(schema: TSchema, node: Node, path: string, reading: Reading): void {
  const shape = schema.type === 'array' ? (isSeq(node) ? 'has no entry' : 'is not a list') : 'is not a map';
  const isLone = schema.type === 'array' && isScalar(node) && schema.items?.type === 'string';
  reading.problem(path, {
    problem: shape,
    allowed: describeAllowed(schema),
    remedy: isLone ? 'put it in brackets, also where it is one alone' : 'correct the value',
  });
}

function emptyValue(schema: TSchema) {
  return { problem: 'has no value', allowed: describeAllowed(schema), remedy: 'write one or remove it' };
}

/** The value of a secret: written at its key, or the content of the file that `key_file` names. */
function secretSource(key: string, entries: Entries, path: string, reading: Reading): unknown {
  const written = entries.get(key)?.value;
  const file = reading.resolve(entries.get(`${key}_file`)?.value);
  if (file === undefined) return written;
  const inner = keyPath(path, `${key}_file`);
  reading.mark(inner, file);
  if (reading.resolve(written) !== undefined) {
    reading.problem(inner, {
      problem: `stands beside ${key}`,
      allowed: `one of ${key} and ${key}_file`,
      remedy: 'remove one',
    });
    return written;
  }
  return secretOfFile(file, inner, reading);
}

function secretOfFile(file: Node, path: string, reading: Reading): unknown {
  const name = readScalar(text({ minLength: 1 }), file, path, reading);
  if (typeof name !== 'string') return undefined;
  try {
    const content = readSecretFile(resolve(reading.directory, name)).trim();
    return reading.overlay(content, reading.locate(path));
  } catch (error) {
    if (reading.isNeedless(path)) return reading.overlay(placeholder, reading.locate(path));
    const reason = reasonOf(error);
    reading.problem(path, {
      problem: `the file cannot be read (${reason})`,
      allowed: 'the name of a readable file that holds the secret',
      remedy: 'correct the name or the permissions',
    });
    return undefined;
  }
}

/** A free-form value as plain data, its variables filled in. */
function plainValue(written: unknown, path: string, reading: Reading, depth: number): unknown {
  const node = reading.resolve(written);
  if (node === undefined) return null;
  if (depth > deepestFreeForm) {
    reading.problem(path, {
      problem: 'is nested too deep',
      allowed: `${deepestFreeForm} levels`,
      remedy: 'flatten it',
    });
    return null;
  }
  if (isMap(node)) {
    return Object.fromEntries(
      node.items.map(({ key, value }) => {
        const name = keyName(key);
        return [name, plainValue(value, keyPath(path, name), reading, depth + 1)];
      }),
    );
  }
  if (isSeq(node))
    return node.items.map((item, index) => plainValue(item, `${path}[${index}]`, reading, depth + 1));
  if (!isScalar(node)) return null;
  reading.mark(path, node);
  return typeof node.value === 'string' ? resolveText(node, path, reading)?.text : node.value;
}

const longestShown = 40;

/** Reads one value that is neither map nor list; undefined after a problem was noted. */
function readScalar(schema: TSchema, node: Node, path: string, reading: Reading): unknown {
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
const placeholder = 'missing';
const missingSecret: WrittenValue = { raw: placeholder, text: placeholder, untyped: true };

function isMissingSecret(schema: TSchema, { value }: Scalar, path: string, reading: Reading): boolean {
  if (!isSecret(schema) || typeof value !== 'string' || !reading.isNeedless(path)) return false;
  const { missing, malformed } = interpolate(value, reading.environment);
  return missing.length > 0 && !malformed;
}

/** The scalar's text with its variables filled in, or undefined after a problem was noted. */
function resolveText(node: Scalar, path: string, reading: Reading): WrittenValue | undefined {
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
  if (isNamedByUser && !looksLikeSecret(name)) return;
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

/** What became of a text with `${VAR}` in it. */
interface Interpolation {
  readonly text: string;
  /** The variables it took; empty when the text stands as written. */
  readonly variables: readonly string[];
  /** Variables that are not set. */
  readonly missing: readonly string[];
  /** True when a `${` names no variable. */
  readonly malformed: boolean;
}

/** Replaces every `${VAR}` by the variable's value; `$${` stands for a plain `${`. Values are not read again. */
function interpolate(text: string, environment: Environment): Interpolation {
  const variables: string[] = [];
  const missing: string[] = [];
  let malformed = false;
  const replaced = text.replace(/\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g, (match, name?: string) => {
    if (match === '$${') return '${';
    if (name === undefined) {
      malformed = true;
      return '';
    }
    variables.push(name);
    const value = environment[name];
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: replaced, variables, missing, malformed };
}
