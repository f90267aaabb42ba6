/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value without the spaces and line ends around it; an empty one counts as not set. */
export function environmentValue(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}
