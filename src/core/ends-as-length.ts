import type { ErrorType } from './errors.ts';

const lengthTypes: ReadonlySet<ErrorType> = new Set([
  'context_length_exceeded',
  'max_tokens_exceeded',
  'token_limit_exceeded',
  'string_too_long',
]);

/**
 * Whether an error, once output exists, ends the answer as `incomplete` instead of `failed`
 * (docs/spec/errors.md#endings-by-length).
 */
export function endsAsLength(type: ErrorType): boolean {
  return lengthTypes.has(type);
}
