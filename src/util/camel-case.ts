import type { Secret } from './secret.ts';

type Value = string | number | bigint | boolean | null | undefined | Secret | readonly unknown[];

type CamelCase<Name extends string> = Name extends `${infer Word}_usd`
  ? CamelCase<Word>
  : Name extends `${infer Word}_${infer Rest}`
    ? `${Word}${Capitalize<CamelCase<Rest>>}`
    : Name;

/** Members of JSON or of the configuration under the program's names: `ceiling_usd` is `ceiling`, whose type says the unit. */
export type CamelCased<Members> = Members extends Value
  ? Members
  : {
      readonly [Name in keyof Members as Name extends string ? CamelCase<Name> : never]: CamelCased<
        Members[Name]
      >;
    };

/** The program's name for a member that is written in snake case. */
export function camelCase(name: string): string {
  return name.replace(/_usd$/, '').replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** An object, and the objects within it, with the program's names. Arrays and class instances stay as they are. */
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
