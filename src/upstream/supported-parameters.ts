import type { Endpoint } from '../core/catalogue.ts';
import { takesParameter } from '../core/parameters.ts';

/** Whether an endpoint accepts any of the named parameters, in the vocabulary of docs/spec/routing.md#parameters. */
export function supports(endpoint: Endpoint, ...names: readonly string[]): boolean {
  return names.some((name) => takesParameter(endpoint, name));
}
