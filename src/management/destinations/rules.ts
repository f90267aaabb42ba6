import { randomBytes } from 'node:crypto';
import { type ConfigField, destinationTypes, pathWords } from '../../destinations/destination-types.ts';
import {
  numberFields,
  numberOperators,
  presence,
  textFields,
  textOperators,
} from '../../destinations/filter-rules.ts';
import type { TextScanner } from '../../guardrails/content-scanner.ts';
import { readPattern } from '../../guardrails/custom-pattern.ts';
import type { FilterRule, FilterRules } from '../../ports/destinations.ts';
import { malformed } from '../../schema/fault.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { readWebhookSecret } from '../../util/webhook-secret.ts';

/** Characters of one member of a `config`, and headers of it. */
const longestText = 4096;
const mostHeaders = 20;
/** Headers that belong to the connection, to the body, or to the signature of a webhook. */
const reserved =
  /^(host|content-length|content-encoding|transfer-encoding|connection|keep-alive|upgrade|te|trailer|proxy-.*|webhook-(id|timestamp|signature))$/;
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** What a header may hold: what is printed, and tabs. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A `config` as it is kept, and as it is shown. */
export interface ReadConfig {
  readonly whole: JsonObject;
  readonly shown: JsonObject;
}

/**
 * Reads the `config` of a destination (docs/spec/destinations.md#types).
 * @param before The one that it changes: members that are absent stay, and so do masks that were read.
 * @throws HeadgateError `invalid_request` naming the member.
 */
export function readConfig(type: string, given: JsonObject, before?: ReadConfig): ReadConfig {
  const fields = fieldsOf(type);
  const known = [...Object.keys(fields), 'headers'];
  for (const name of Object.keys(given)) {
    if (!known.includes(name))
      throw malformed(`config.${name}`, `is unknown; ${type} has ${known.join(', ')}`);
  }
  const whole: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name] === before?.shown[name] ? undefined : given[name];
    const kept = value === null && field.isRequired !== true ? undefined : (value ?? before?.whole[name]);
    if (kept !== undefined) whole[name] = readMember(`config.${name}`, kept, field);
    else if (field.isRequired) throw malformed(`config.${name}`, 'is missing');
  }
  if (type === 'webhook') whole.signingSecret = readSigningSecret(whole.signingSecret);
  if (type === 's3') checkPath(whole.pathTemplate);
  const headers = readHeaders(given.headers, before);
  if (headers !== undefined) whole.headers = headers;
  return { whole, shown: shownConfig(type, whole) };
}

/** A `config` without its secrets. */
export function shownConfig(type: string, whole: JsonObject): JsonObject {
  const fields = fieldsOf(type);
  const members = Object.entries(whole).map(([name, value]): [string, unknown] => {
    if (name === 'headers' && isObject(value)) {
      return [name, Object.fromEntries(Object.entries(value).map(([key, text]) => [key, masked(text)]))];
    }
    return [name, fields[name]?.isSecret === true ? masked(value) : value];
  });
  const defaults = Object.entries(fields).flatMap(([name, field]) =>
    field.default === undefined || name in whole ? [] : [[name, field.default] as const],
  );
  return Object.fromEntries([...members, ...defaults]);
}

/** @throws HeadgateError `invalid_request` for a type that there is not. */
export function fieldsOf(type: string): Readonly<Record<string, ConfigField>> {
  const fields = Object.hasOwn(destinationTypes, type) ? destinationTypes[type]?.fields : undefined;
  if (fields !== undefined) return fields;
  throw malformed('type', `is none that is sent to; expected ${Object.keys(destinationTypes).join(', ')}`);
}

const shownEnd = 4;
/** Characters of a secret of which the end is shown. */
const longEnough = 12;

function masked(value: unknown): string {
  const text = String(value);
  return `****${text.length < longEnough ? '' : text.slice(-shownEnd)}`;
}

function readMember(path: string, value: unknown, field: ConfigField): string {
  if (typeof value !== 'string' || value === '') throw malformed(path, 'expected a text that is not empty');
  if (value.length > longestText) throw malformed(path, `may have ${longestText} characters at most`);
  if (!headerValue.test(value)) throw malformed(path, 'holds characters that no header can');
  if (field.choices !== undefined && !field.choices.includes(value)) {
    throw malformed(path, `expected ${field.choices.join(' or ')}`);
  }
  if (field.pattern?.test(value) === false) throw malformed(path, 'has another form than this type needs');
  if (field.isAddress) checkAddress(path, value);
  return value;
}

function checkAddress(path: string, value: string): void {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) throw malformed(path, 'expected an https address');
  if (url.username !== '' || url.password !== '') {
    throw malformed(path, 'holds a user name or password; give it as a header');
  }
  if (url.search !== '' || url.hash !== '') throw malformed(path, 'expected an address without ? and #');
}

function readSigningSecret(given: unknown): string {
  if (given === undefined) return `whsec_${randomBytes(32).toString('base64')}`;
  try {
    readWebhookSecret(String(given));
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : 'cannot be read';
    throw malformed('config.signingSecret', `${problem}; leave it out to have one made`);
  }
  return String(given);
}

function checkPath(template: unknown): void {
  if (typeof template !== 'string') return;
  for (const [whole, word = ''] of template.matchAll(/\{([^}]*)\}/g)) {
    if (!pathWords.some((one) => one === word)) {
      const known = pathWords.map((one) => `{${one}}`).join(', ');
      throw malformed('config.pathTemplate', `knows no ${whole}; use ${known}`);
    }
  }
}

function readHeaders(given: unknown, before: ReadConfig | undefined): JsonObject | undefined {
  if (given === undefined) return isObject(before?.whole.headers) ? before.whole.headers : undefined;
  if (given === null) return undefined;
  if (!isObject(given)) throw malformed('config.headers', 'expected an object of texts');
  const entries = Object.entries(given);
  if (entries.length > mostHeaders) throw malformed('config.headers', `may have ${mostHeaders} at most`);
  const shown = isObject(before?.shown.headers) ? before.shown.headers : {};
  const whole = isObject(before?.whole.headers) ? before.whole.headers : {};
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const path = `config.headers.${name}`;
      if (!headerName.test(name)) throw malformed(path, 'is no name of a header');
      if (reserved.test(name.toLowerCase())) throw malformed(path, 'is set by the gateway; leave it out');
      const kept = value === shown[name] && value !== undefined ? whole[name] : value;
      if (typeof kept !== 'string' || kept.length > longestText || !headerValue.test(kept)) {
        throw malformed(path, `expected a text of ${longestText} characters at most that a header can hold`);
      }
      return [name, kept];
    }),
  );
}

const mostGroups = 10;
const mostRules = 20;
const longestPattern = 256;
const longestValue = 1024;

/** A rule as its owner writes it. */
export interface WrittenRule {
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
}

/** Rules as their owner writes them. */
export interface WrittenRules {
  readonly enabled?: boolean | undefined;
  readonly groups: readonly {
    readonly logic?: 'and' | 'or' | undefined;
    readonly rules: readonly WrittenRule[];
  }[];
}

/**
 * Reads filter rules (docs/spec/destinations.md#filters).
 * @throws HeadgateError `invalid_request` for a rule that no request could pass by its form.
 */
export async function readFilterRules(
  given: WrittenRules | null,
  scanner: TextScanner,
  owner: string,
): Promise<FilterRules | null> {
  if (given === null) return null;
  const { enabled = true, groups } = given;
  if (groups.length > mostGroups) throw malformed('filter_rules.groups', `may be ${mostGroups} at most`);
  const read = groups.map(({ logic = 'and', rules }, at) => {
    const path = `filter_rules.groups[${at}].rules`;
    if (rules.length > mostRules) throw malformed(path, `may be ${mostRules} at most`);
    return { logic, rules: rules.map((rule, index) => readRule(rule, `${path}[${index}]`)) };
  });
  const patterns = read.flatMap(({ rules }) => rules).filter(({ operator }) => operator === 'regex');
  if (patterns.length > 0) {
    const texts = patterns.map(({ value }) => String(value));
    const found = await scanner.checkPatterns(texts, { owner });
    if (found !== undefined)
      throw malformed('filter_rules', `the pattern ${texts[found.index]}: ${found.problem}`);
  }
  return { enabled, groups: read };
}

function readRule({ field, operator, value }: WrittenRule, path: string): FilterRule {
  const isNumber = numberFields.some((one) => one === field);
  if (!isNumber && !textFields.some((one) => one === field)) {
    throw malformed(`${path}.field`, `expected ${[...textFields, ...numberFields].join(', ')}`);
  }
  if (presence.some((one) => one === operator)) {
    if (value !== undefined) throw malformed(`${path}.value`, `${operator} takes none`);
    return { field, operator };
  }
  const operators: readonly string[] = isNumber ? numberOperators : textOperators;
  if (!operators.includes(operator)) {
    throw malformed(`${path}.operator`, `expected ${[...operators, ...presence].join(', ')} for ${field}`);
  }
  if (isNumber) return { field, operator, value: numberValue(value, path) };
  if (typeof value !== 'string' && typeof value !== 'number') throw malformed(`${path}.value`, 'is missing');
  const text = String(value);
  const most = operator === 'regex' ? longestPattern : longestValue;
  if (text.length > most) throw malformed(`${path}.value`, `may have ${most} characters at most`);
  const problem = operator === 'regex' ? readPattern(text).problem : undefined;
  if (problem !== undefined) throw malformed(`${path}.value`, problem);
  return { field, operator, value: text };
}

function numberValue(value: unknown, path: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw malformed(`${path}.value`, 'expected a number');
}
