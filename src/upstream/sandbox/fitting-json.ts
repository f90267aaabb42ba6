import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { refusedCall } from '../wire/failure.ts';

/**
 * The JSON of a value that fits a schema of the call.
 * @throws HeadgateError `upstream_invalid_request` when the sandbox can make none.
 */
export function fittingJson({ endpoint, request }: UpstreamCall, schema: JsonObject): string {
  const value = fitSchema(schema, request.sampling.seed);
  if (value !== undefined) return JSON.stringify(value);
  const message = 'No value fits this JSON Schema, or none that is small enough for the sandbox to make.';
  throw refusedCall(endpoint.provider, 400, { message });
}

/** Below this depth only required members are filled in, and recursion ends at the first branch that allows it. */
const comfortableDepth = 6;
const maxDepth = 40;
/** Work allowed for one value: about one unit per character written and per schema member read. */
const workLimit = 200_000;
const text = 'sandbox';

const textByFormat: ReadonlyMap<unknown, string> = new Map([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['email', 'sandbox@example.com'],
  ['uri', 'https://example.com/sandbox'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['hostname', 'sandbox.example.com'],
  ['duration', 'P1D'],
]);

/**
 * Makes a value that fits a JSON Schema: types, enum, const, required and nested members, minimum counts and
 * lengths, common formats, numeric bounds, the first branch of anyOf and oneOf, allOf merged, and local references.
 * `pattern` is ignored. Whatever the schema leaves open becomes the word `sandbox`, zero or false.
 * @param seed picks one value of an enum; without it, the first.
 * @returns undefined when there is no such value or it would be too large, because a schema of a hundred characters can
 * describe a value of any size.
 */
export function fitSchema(schema: JsonObject, seed = 0): unknown {
  try {
    return new SchemaFitter(schema, Math.abs(seed)).fit(schema, 0);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

class SchemaFitter {
  readonly #root: JsonObject;
  readonly #seed: number;
  #left = workLimit;

  constructor(root: JsonObject, seed: number) {
    this.#root = root;
    this.#seed = seed;
  }

  fit(given: unknown, depth: number): unknown {
    const schema = this.#resolve(given, depth);
    if ('const' in schema) return this.#given(schema.const);
    if (Array.isArray(schema.enum)) return this.#given(schema.enum[this.#seed % schema.enum.length]);
    switch (typeOf(schema, depth)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'integer':
      case 'number':
        return fitNumber(schema);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return this.#text(schema);
    }
  }

  #spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new TooLarge();
  }

  #given(value: unknown): unknown {
    this.#spend(JSON.stringify(value ?? null).length);
    return value;
  }

  /** Follows references and merges alternatives until a plain schema is left. */
  #resolve(given: unknown, depth: number, hops = 0): JsonObject {
    if (!isObject(given) || hops > maxDepth) return {};
    this.#spend(1 + Object.keys(given).length);
    if (typeof given.$ref === 'string') return this.#resolve(this.#lookUp(given.$ref), depth, hops + 1);
    const { anyOf, oneOf, allOf, ...own } = given;
    const branch = this.#branch(anyOf ?? oneOf, depth);
    const parts = [...(Array.isArray(allOf) ? allOf : []), ...(branch === undefined ? [] : [branch])];
    return parts.reduce<JsonObject>(
      (merged, part) => this.#merge(merged, this.#resolve(part, depth, hops + 1)),
      own,
    );
  }

  #merge(left: JsonObject, right: JsonObject): JsonObject {
    const properties = { ...toObject(left.properties), ...toObject(right.properties) };
    const required = [...toList(left.required), ...toList(right.required)];
    this.#spend(Object.keys(properties).length + required.length);
    return {
      ...left,
      ...right,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }

  #branch(branches: unknown, depth: number): unknown {
    if (!Array.isArray(branches)) return undefined;
    this.#spend(branches.length);
    const ending = depth > comfortableDepth ? branches.find((branch) => isLeaf(branch)) : undefined;
    return ending ?? branches[0];
  }

  #lookUp(reference: string): unknown {
    this.#spend(reference.length);
    let found: unknown = this.#root;
    for (const name of reference.split('/').slice(1)) {
      const member = decodePercent(name).replaceAll('~1', '/').replaceAll('~0', '~');
      found = isObject(found) ? found[member] : undefined;
    }
    return found;
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const required = toList(schema.required).filter((name) => typeof name === 'string');
    this.#spend(Object.keys(properties).length + required.length);
    const names = depth < comfortableDepth ? [...Object.keys(properties), ...required] : required;
    if (depth > maxDepth) return {};
    return Object.fromEntries(
      [...new Set(names)].map((name) => {
        this.#spend(name.length);
        return [name, this.fit(properties[name], depth + 1)];
      }),
    );
  }

  #array(schema: JsonObject, depth: number): unknown[] {
    const fixed = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const least = Math.max(numberOf(schema.minItems) ?? 0, fixed.length);
    const usual = depth < comfortableDepth && numberOf(schema.maxItems) !== 0 ? 1 : 0;
    const length = depth > maxDepth ? 0 : Math.max(least, usual);
    this.#spend(length);
    return Array.from({ length }, (_, index) => this.fit(fixed[index] ?? schema.items, depth + 1));
  }

  #text(schema: JsonObject): string {
    const usual = textByFormat.get(schema.format) ?? text;
    const least = numberOf(schema.minLength) ?? 0;
    this.#spend(Math.max(usual.length, least));
    return usual.padEnd(least, ` ${text}`).slice(0, numberOf(schema.maxLength));
  }
}

function typeOf(schema: JsonObject, depth: number): unknown {
  if (Array.isArray(schema.type)) {
    return depth > comfortableDepth && schema.type.includes('null') ? 'null' : schema.type[0];
  }
  if (schema.type !== undefined) return schema.type;
  if (isObject(schema.properties) || Array.isArray(schema.required)) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'string';
}

function fitNumber(schema: JsonObject): number {
  const above = numberOf(schema.exclusiveMinimum) ?? Number.NEGATIVE_INFINITY;
  const below = numberOf(schema.exclusiveMaximum) ?? Number.POSITIVE_INFINITY;
  const lowest = Math.max(numberOf(schema.minimum) ?? Number.NEGATIVE_INFINITY, above);
  const highest = Math.min(numberOf(schema.maximum) ?? Number.POSITIVE_INFINITY, below);
  const step = schema.type === 'integer' ? 1 : Math.min(0.5, (highest - lowest) / 2);
  const least = lowest === above ? above + step : lowest;
  const most = highest === below ? below - step : highest;
  const value = Math.min(Math.max(0, least), most);
  const multiple = numberOf(schema.multipleOf);
  if (multiple) return Math.ceil(value / multiple) * multiple;
  return schema.type === 'integer' ? Math.ceil(value) : value;
}

function isLeaf(schema: unknown): boolean {
  return isObject(schema) && typeof schema.type === 'string' && !['object', 'array'].includes(schema.type);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
