/** A name such as `allowedIps` as JSON and SQL write it: `allowed_ips`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The members of a record under their names in snake case. */
export type SnakeCased<Members> = {
  readonly [Name in keyof Members as Name extends string ? SnakeCase<Name> : never]: Members[Name];
};

type SnakeCase<Name extends string> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : Name;
