/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value; an empty one counts as not set. */
export function environmentValue(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === '' ? undefined : value;
}
