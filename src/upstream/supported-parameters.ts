import type { Endpoint } from '../core/catalogue.ts';
import { takesParameter } from '../core/parameters.ts';

/** Whether an endpoint accepts any of the named parameters, in the vocabulary of routing.md 3.3. */
export function supports(endpoint: Endpoint, ...names: readonly string[]): boolean {
  return names.some((name) => takesParameter(endpoint, name));
}
