import { isObject, type JsonObject } from '../util/json.ts';

/** Members whose value is a schema or a list of schemas, and those whose value is a map of schemas. */
const single: ReadonlySet<string> = new Set([
  ...['anyOf', 'allOf', 'oneOf', 'prefixItems', 'items', 'contains', 'additionalProperties', 'propertyNames'],
  ...['not', 'if', 'then', 'else'],
]);
const maps: ReadonlySet<string> = new Set([
  ...['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'],
]);
/** What may stand beside a reference without saying more of the value. */
const notes: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
]);

/**
 * The same schema with the references that every decoder takes: to a member of `$defs` at the root, and with nothing beside
 * them. What else in the schema a reference names is moved into `$defs`, and notes beside a reference stay around
 * it. References to the root, out of the schema, or to nothing stay as they are.
 */
export function plainReferences(schema: JsonObject): JsonObject {
  const found = referencesIn(schema);
  if (found.every(isPlain)) return schema;
  const definitions = definitionsOf(schema);
  const targets = new Map<JsonObject, string>();
  for (const [name, one] of definitions) if (isObject(one)) targets.set(one, name);
  const taken = new Set(definitions.keys());
  for (const { $ref: reference } of found) {
    const target = pointedAt(schema, reference);
    if (target === undefined || target === schema || targets.has(target)) continue;
    targets.set(target, newName(String(reference).slice(2), taken));
  }
  return new Plain(schema, targets).write(definitions);
}

/** Both maps of definitions as one; a name that both have is another one for the second. */
function definitionsOf({ $defs, definitions }: JsonObject): ReadonlyMap<string, unknown> {
  const all = new Map(entriesOf($defs));
  const taken = new Set(all.keys());
  for (const [name, one] of entriesOf(definitions))
    all.set(taken.has(name) ? newName(name, taken) : name, one);
  return all;
}

class Plain {
  readonly #root: JsonObject;
  readonly #targets: ReadonlyMap<JsonObject, string>;
  readonly #definitions = new Map<string, unknown>();

  constructor(root: JsonObject, targets: ReadonlyMap<JsonObject, string>) {
    this.#root = root;
    this.#targets = targets;
  }

  write(definitions: ReadonlyMap<string, unknown>): JsonObject {
    const { $defs: _, definitions: __, ...others } = this.#root;
    for (const [name, one] of definitions) this.#definitions.set(name, this.#members(one));
    const plain = this.#members(others) as JsonObject;
    return { ...plain, $defs: Object.fromEntries(this.#definitions) };
  }

  /** A schema in its place; one that a reference names is left there as a reference itself. */
  #placed(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.#placed(one));
    const name = isObject(schema) ? this.#targets.get(schema) : undefined;
    if (name === undefined) return this.#members(schema);
    if (!this.#definitions.has(name)) {
      // Set first: a schema may hold a reference to itself.
      this.#definitions.set(name, {});
      this.#definitions.set(name, this.#members(schema));
    }
    return referenceTo(name);
  }

  #members(schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    const members: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (single.has(key)) members[key] = this.#placed(value);
      else if (maps.has(key) && isObject(value))
        members[key] = Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, this.#placed(one)]),
        );
      else members[key] = value;
    }
    return typeof schema.$ref === 'string' ? this.#reference(members, schema.$ref) : members;
  }

  #reference({ $ref: _, ...beside }: Record<string, unknown>, reference: string): JsonObject {
    const target = pointedAt(this.#root, reference);
    const name = target === undefined ? undefined : this.#targets.get(target);
    const plain = name === undefined ? { $ref: reference } : referenceTo(name);
    const others = Object.keys(beside);
    if (others.length === 0) return plain;
    // What says more of the value would be lost in most decoders either way.
    return others.every((key) => notes.has(key)) ? { ...beside, anyOf: [plain] } : { ...beside, ...plain };
  }
}

function referenceTo(name: string): JsonObject {
  return { $ref: `#/$defs/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
}

function isPlain(schema: JsonObject): boolean {
  return Object.keys(schema).length === 1 && /^#(\/\$defs\/[^/]+)?$/.test(String(schema.$ref));
}

function entriesOf(map: unknown): readonly (readonly [string, unknown])[] {
  return isObject(map) ? Object.entries(map) : [];
}

/** All schemas that are references. */
function referencesIn(schema: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (!isObject(next)) continue;
    if (typeof next.$ref === 'string') found.push(next);
    for (const [key, value] of Object.entries(next)) for (const one of schemasOf(key, value)) open.push(one);
  }
  return found;
}

/** What of a member are schemas. */
function schemasOf(key: string, value: unknown): readonly unknown[] {
  if (single.has(key)) return Array.isArray(value) ? value : [value];
  return maps.has(key) && isObject(value) ? Object.values(value) : [];
}

/** The schema that a JSON pointer within a schema names. */
function pointedAt(root: JsonObject, reference: unknown): JsonObject | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = unescaped(part);
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return isObject(value) ? value : undefined;
}

function unescaped(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** A name that no definition has, made of letters of a place. */
function newName(place: string, taken: Set<string>): string {
  const base = place.replaceAll(/[^a-zA-Z0-9_]+/g, '_').slice(-48);
  let name = base;
  for (let count = taken.size + 1; taken.has(name); count += 1) name = `${base}_${count}`;
  taken.add(name);
  return name;
}
