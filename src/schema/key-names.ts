import { marksOf, type TSchema } from '../util/json-schema.ts';

/** The keys a map of the file may have, the `_file` forms of secrets included. */
export function keyNames({ properties = {} }: TSchema): readonly string[] {
  return Object.entries(properties).flatMap(([key, field]) =>
    takesFile(field) ? [key, `${key}_file`] : [key],
  );
}

/** Whether the value may also be given as the name of a file that contains it (docs/spec/operations.md#secrets). */
export function takesFile(schema: TSchema): boolean {
  return isSecret(schema) && schema.type === 'string';
}

/** Whether the value must never be shown. */
export function isSecret(schema: TSchema): boolean {
  return marksOf(schema).secret === true;
}
