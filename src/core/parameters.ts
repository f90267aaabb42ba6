import type { Endpoint } from './catalogue.ts';

/** Equivalent names of the vocabulary: an endpoint that has one supports the other. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_completion_tokens'],
  max_completion_tokens: ['max_tokens'],
  response_format: ['structured_outputs'],
  reasoning: ['reasoning_effort', 'include_reasoning'],
  reasoning_effort: ['reasoning'],
  top_logprobs: ['logprobs'],
};

/**
 * Whether an endpoint accepts a parameter of the vocabulary of docs/spec/routing.md#parameters: one that it declares,
 * or any when it declares none. The adapter decides what its provider accepts at all.
 */
export function takesParameter({ supportedParameters: declared }: Endpoint, name: string): boolean {
  if (declared === undefined || declared.has(name)) return true;
  return (synonyms[name] ?? []).some((other) => declared.has(other));
}
