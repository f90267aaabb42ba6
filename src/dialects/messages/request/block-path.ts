import { malformed, nameOf } from '../../../schema/fault.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';

/** A member of a block that has to be text. @throws HeadgateError `invalid_request`. */
export function textMember(block: JsonObject, name: string, path: string): string {
  const value = block[name];
  if (typeof value === 'string') return value;
  if (value === undefined) throw malformed(`${path}.${name}`, 'is required, expected a string');
  throw malformed(`${path}.${name}`, `expected a string, got ${nameOf(value)}`);
}

/** A member of a block that may be text, null or absent. @throws HeadgateError `invalid_request`. */
export function optionalText(block: JsonObject, name: string, path: string): string | undefined {
  return block[name] === undefined || block[name] === null ? undefined : textMember(block, name, path);
}

/** A member of a block that has to be an object. @throws HeadgateError `invalid_request`. */
export function objectMember(block: JsonObject, name: string, path: string): JsonObject {
  const value = block[name];
  if (isObject(value)) return value;
  if (value === undefined) throw malformed(`${path}.${name}`, 'is required, expected an object');
  throw malformed(`${path}.${name}`, `expected an object, got ${nameOf(value)}`);
}
