import type { Endpoint } from '../core/catalogue.ts';
import { takesParameter } from '../core/parameters.ts';

/** Whether an endpoint takes any of the parameters named, by the vocabulary of routing.md 3.3. */
export function supports(endpoint: Endpoint, ...names: readonly string[]): boolean {
  return names.some((name) => takesParameter(endpoint, name));
}
