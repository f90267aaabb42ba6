import type { CredentialChange } from '../../ports/credentials.ts';
import { malformed } from '../../schema/fault.ts';
import { isObject, type JsonObject } from '../../util/json.ts';

const longestName = 255;
const mostEntries = 100;
const largestOrder = 2 ** 31 - 1;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const hash = /^[a-f0-9]{64}$/;
const fieldName = /^[a-z_]{1,40}$/i;

const changeable = [
  'key',
  'name',
  'disabled',
  'is_byok_only',
  'is_fallback',
  'is_required',
  'declared_zdr',
  'allowed_api_key_hashes',
  'allowed_models',
  'allowed_user_ids',
];
const creating = new Set(['provider', 'workspace_id', ...changeable]);
const changing = new Set([...creating, 'sort_order']);

/*
 * The rules of accounts-and-limits 6.1, one function each, so that they can be asked in the order stated there. No
 * message repeats a value: somebody may have put the credential in the wrong place.
 */

/** Rule 2, and README decision 6: an object without members nobody knows. */
export function readByokBody(raw: unknown, to: 'create' | 'change'): JsonObject {
  if (!isObject(raw)) throw malformed('', 'expected an object');
  const known = to === 'create' ? creating : changing;
  for (const name of Object.keys(raw)) {
    if (!known.has(name)) {
      // A credential in the place of a name does not look like one.
      const place = fieldName.test(name) ? name : 'body';
      throw malformed(place, `unknown field, allowed are ${[...known].join(', ')}`);
    }
  }
  return raw;
}

/** The slug of a provider; whether it is one is the operation's question. */
export function readProvider({ provider }: JsonObject): string {
  if (provider === undefined) throw malformed('provider', 'is required: the slug of a provider');
  return typeof provider === 'string' ? provider : '';
}

/** The credential as text; whether it has the right form is the operation's question. */
export function readSecret({ key }: JsonObject): string {
  return typeof key === 'string' ? key : '';
}

/** Rule 6. */
export function readName({ name }: JsonObject): string | null {
  if (name === undefined || name === null) return null;
  if (typeof name !== 'string') throw malformed('name', 'expected a string or null');
  if ([...name].length > longestName) throw malformed('name', `must be at most ${longestName} characters`);
  return name;
}

/** Rule 7, as far as the text tells. */
export function readWorkspaceId({ workspace_id: id }: JsonObject): string | undefined {
  if (id === undefined) return undefined;
  if (typeof id !== 'string' || !uuid.test(id))
    throw malformed('workspace_id', 'expected the UUID of a workspace');
  return id;
}

/** Rule 9. */
export function readHashes(body: JsonObject): readonly string[] | null {
  const name = 'allowed_api_key_hashes';
  const list = readList(body, name);
  if (list === null) return null;
  if (list.length === 0) throw malformed(name, 'must not be empty; null is no restriction');
  const bad = list.findIndex((entry) => !hash.test(entry));
  if (bad !== -1) throw malformed(`${name}[${bad}]`, 'must be 64 lowercase hexadecimal digits');
  return list;
}

/** Rule 11. */
export function readTexts(
  body: JsonObject,
  name: 'allowed_models' | 'allowed_user_ids',
): readonly string[] | null {
  const list = readList(body, name);
  const bad = list?.indexOf('') ?? -1;
  if (bad !== -1) throw malformed(`${name}[${bad}]`, 'must not be empty');
  return list;
}

/** Rule 12. */
export function readFlag(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw malformed(name, 'expected true or false');
  return value;
}

/** Rule 12. */
export function readDeclaredZdr({ declared_zdr: value }: JsonObject): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') throw malformed('declared_zdr', 'expected true, false or null');
  return value;
}

/** Where a credential is put among the others of its provider. */
function readSortOrder({ sort_order: value }: JsonObject): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > largestOrder) {
    throw malformed('sort_order', 'expected a whole number, 0 or more');
  }
  return value;
}

/** What a body changes besides the secret: absent is unchanged; null clears the name, `declared_zdr` and lists. */
export function readCredentialChange(body: JsonObject): CredentialChange {
  const given = <Value>(name: string, read: () => Value) => (body[name] === undefined ? undefined : read());
  return {
    name: given('name', () => readName(body)),
    allowedKeyHashes: given('allowed_api_key_hashes', () => readHashes(body)),
    allowedModels: given('allowed_models', () => readTexts(body, 'allowed_models')),
    allowedUserIds: given('allowed_user_ids', () => readTexts(body, 'allowed_user_ids')),
    disabled: given('disabled', () => readFlag(body, 'disabled')),
    isByokOnly: given('is_byok_only', () => readFlag(body, 'is_byok_only')),
    isFallback: given('is_fallback', () => readFlag(body, 'is_fallback')),
    isRequired: given('is_required', () => readFlag(body, 'is_required')),
    declaredZdr: given('declared_zdr', () => readDeclaredZdr(body)),
    sortOrder: given('sort_order', () => readSortOrder(body)),
  };
}

function readList(body: JsonObject, name: string): readonly string[] | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw malformed(name, 'expected an array of strings or null');
  if (value.length > mostEntries) throw malformed(name, `must have at most ${mostEntries} entries`);
  const bad = value.findIndex((entry: unknown) => typeof entry !== 'string');
  if (bad !== -1) throw malformed(`${name}[${bad}]`, 'expected a string');
  return [...new Set(value as readonly string[])];
}
