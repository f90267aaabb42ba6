import { isObject } from './json.ts';

/** Nested values as text under their dotted keys, as they are named in messages about the configuration file. */
export function flattenValues(value: unknown, prefix = ''): readonly (readonly [string, string])[] {
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) =>
      flattenValues(member, prefix === '' ? key : `${prefix}.${key}`),
    );
  }
  return [[prefix, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]];
}
