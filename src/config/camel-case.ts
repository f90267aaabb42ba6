import type { Secret } from '../util/secret.ts';

type Value = string | number | bigint | boolean | null | undefined | Secret | readonly unknown[];

type CamelCase<Name extends string> = Name extends `${infer Word}_usd`
  ? CamelCase<Word>
  : Name extends `${infer Word}_${infer Rest}`
    ? `${Word}${Capitalize<CamelCase<Rest>>}`
    : Name;

/** A section of the file as the program names its members: `ceiling_usd` is `ceiling`, an amount by its type. */
export type CamelCased<Members> = Members extends Value
  ? Members
  : {
      readonly [Name in keyof Members as Name extends string ? CamelCase<Name> : never]: CamelCased<
        Members[Name]
      >;
    };

/** The name of a member in the program, by its name in the file. */
export function camelCase(name: string): string {
  return name.replace(/_usd$/, '').replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** A section of the file, and the sections within it, under the program's names. */
export function camelCased<Members extends object>(members: Members): CamelCased<Members> {
  const entries = Object.entries(members).map(([name, value]) => [
    camelCase(name),
    isSection(value) ? camelCased(value) : value,
  ]);
  return Object.fromEntries(entries) as CamelCased<Members>;
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
