import type { Environment } from '../util/environment.ts';

/** What became of a text with `${VAR}` in it. */
export interface Interpolation {
  readonly text: string;
  /** The variables it took; empty when the text stands as written. */
  readonly variables: readonly string[];
  /** Variables that are not set. */
  readonly missing: readonly string[];
  /** True when a `${` names no variable. */
  readonly malformed: boolean;
}

/** Replaces every `${VAR}` by the variable's value; `$${` stands for a plain `${`. Values are not read again. */
export function interpolate(text: string, environment: Environment): Interpolation {
  const variables: string[] = [];
  const missing: string[] = [];
  let malformed = false;
  const replaced = text.replace(/\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g, (match, name?: string) => {
    if (match === '$${') return '${';
    if (name === undefined) {
      malformed = true;
      return '';
    }
    variables.push(name);
    const value = environment[name];
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: replaced, variables, missing, malformed };
}
