import type { TLocalizedValidationError } from 'typebox/error';
import { memberPath, nameOf, quote, quoteAll, show } from './fault.ts';
import { keywordsOf } from './schema.ts';

/** A fault in words: where it is, in the request's own spelling, and what is wrong and allowed there. */
export interface DescribedError {
  readonly path: string;
  readonly problem: string;
}

/**
 * Puts the first of a validator's errors into words.
 * @param root The value that was checked, and @param base its place in the request.
 */
export function describeError(
  errors: readonly TLocalizedValidationError[],
  schema: unknown,
  root: unknown,
  base: string,
): DescribedError {
  const [error] = errors;
  if (error === undefined) return { path: base, problem: 'is not valid' };
  const steps = stepsOf(error.instancePath);
  const schemaSteps = stepsOf(error.schemaPath.replace(/^#/, ''));
  const rule = keywordsOf(resolve(schema, schemaSteps));
  // A closed object's error lies on the unknown member; what is allowed stands in the object's schema.
  if (error.keyword === 'boolean') {
    const known = keywordsOf(keywordsOf(resolve(schema, schemaSteps.slice(0, -1))).properties);
    return {
      path: locate(root, steps, base),
      problem: `unknown field, allowed are ${quoteAll(Object.keys(known))}`,
    };
  }
  if (error.keyword === 'required') {
    const [missing = ''] = error.params.requiredProperties;
    const expected = expectation(keywordsOf(keywordsOf(rule.properties)[missing]));
    return { path: memberPath(locate(root, steps, base), missing), problem: `is required${expected}` };
  }
  if (schemaSteps.at(-1) === 'propertyNames') {
    const [key = ''] = steps.slice(-1);
    const problem = `key ${quote(key)} ${boundProblem(error.keyword, rule, key)}`;
    return { path: locate(root, steps.slice(0, -1), base), problem };
  }
  return {
    path: locate(root, steps, base),
    problem: boundProblem(error.keyword, rule, resolve(root, steps)),
  };
}

function boundProblem(keyword: string, rule: Readonly<Record<string, unknown>>, value: unknown): string {
  switch (keyword) {
    case 'type':
      return `expected ${typeNames(rule)}, got ${typeof value === 'number' && isNumeric(rule) ? value : nameOf(value)}`;
    case 'enum':
      return `must be one of ${words(rule)}, got ${show(value)}`;
    case 'minimum':
    case 'maximum':
      return `must be ${range(rule)}, got ${show(value)}`;
    case 'maxLength':
      return `must be at most ${rule.maxLength} characters, got ${Array.from(String(value)).length}`;
    case 'minLength':
    case 'minItems':
      return 'must not be empty';
    case 'maxItems':
      return `must have at most ${rule.maxItems} entries, got ${Array.isArray(value) ? value.length : 0}`;
    case 'maxProperties':
      return `must have at most ${rule.maxProperties} pairs, got ${Object.keys(keywordsOf(value)).length}`;
    case 'pattern':
      return `must match ${rule.pattern}, got ${show(value)}`;
    default:
      return `is not valid (${keyword})`;
  }
}

function expectation(rule: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(rule.enum)) return `, one of ${words(rule)}`;
  return rule.type === undefined ? '' : `, expected ${typeNames(rule)}`;
}

function words(rule: Readonly<Record<string, unknown>>): string {
  return Array.isArray(rule.enum) ? quoteAll(rule.enum.filter((word) => typeof word === 'string')) : '';
}

function typeNames(rule: Readonly<Record<string, unknown>>): string {
  const names = [rule.type].flat().filter((name) => typeof name === 'string' && name !== 'null');
  return names.map((name) => (/^[aeiou]/.test(`${name}`) ? `an ${name}` : `a ${name}`)).join(' or ');
}

/** Whether a rule asks for a number, so that a number that fails it is shown rather than named. */
function isNumeric(rule: Readonly<Record<string, unknown>>): boolean {
  return [rule.type].flat().some((name) => name === 'number' || name === 'integer');
}

function range(rule: Readonly<Record<string, unknown>>): string {
  if (rule.minimum === undefined) return `at most ${rule.maximum}`;
  if (rule.maximum === undefined) return `at least ${rule.minimum}`;
  return `between ${rule.minimum} and ${rule.maximum}`;
}

/** The steps of a JSON pointer, unescaped. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function resolve(root: unknown, steps: readonly string[]): unknown {
  let value = root;
  for (const step of steps) value = Array.isArray(value) ? value[Number(step)] : keywordsOf(value)[step];
  return value;
}

function locate(root: unknown, steps: readonly string[], base: string): string {
  let path = base;
  let value = root;
  for (const step of steps) {
    path = Array.isArray(value) ? `${path}[${step}]` : memberPath(path, step);
    value = resolve(value, [step]);
  }
  return path;
}
