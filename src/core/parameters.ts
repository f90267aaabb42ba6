import type { Endpoint } from './catalogue.ts';

/** Names of the vocabulary that mean the same to a request: an endpoint that has one supports the other. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_completion_tokens'],
  max_completion_tokens: ['max_tokens'],
  response_format: ['structured_outputs'],
  reasoning: ['reasoning_effort', 'include_reasoning'],
  reasoning_effort: ['reasoning'],
  top_logprobs: ['logprobs'],
};

/**
 * Whether an endpoint takes a parameter of the vocabulary of routing.md 3.3: one it declares, or any when it
 * declares none. What its provider takes at all is the adapter's to say.
 */
export function takesParameter({ supportedParameters: declared }: Endpoint, name: string): boolean {
  if (declared === undefined || declared.has(name)) return true;
  return (synonyms[name] ?? []).some((other) => declared.has(other));
}
