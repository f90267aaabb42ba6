import { offeredTools } from '../../core/client-tools.ts';
import { type SamplerName, samplers } from '../../core/parameters.ts';
import type { CanonicalRequest } from '../../core/request.ts';

/** Sampler settings whose member of the body is the parameter; two have to say something, too. */
const sameNames = [
  ...samplers.map(({ name }) => name).filter((name) => name !== 'stop' && name !== 'top_logprobs'),
  'parallel_tool_calls',
] as const;

/** The members of a body that have the same name and meaning in all dialects; undefined where unset. */
type NamedMembers = { readonly [Name in SamplerName | 'parallel_tool_calls' | 'tool_choice']?: unknown };

/**
 * The names of docs/spec/routing.md#parameters that a request uses. An output limit counts as `max_tokens` and a format
 * as `response_format` or `structured_outputs`; the code that compares names knows which of them are equivalent.
 */
export function namesUsed(body: NamedMembers, canonical: CanonicalRequest): string[] {
  const used: string[] = sameNames.filter((name) => body[name] !== undefined);
  const { format, sampling } = canonical;
  const tools = offeredTools(canonical);
  const also: readonly (readonly [string, boolean])[] = [
    ['max_tokens', canonical.maxOutputTokens !== undefined],
    ['top_logprobs', (sampling.topLogprobs ?? 0) > 0],
    ['stop', sampling.stop !== undefined],
    ['tools', tools.length > 0],
    ['tool_choice', tools.length > 0 && body.tool_choice !== undefined],
    ['response_format', format.kind === 'json_object'],
    ['structured_outputs', format.kind === 'json_schema'],
    ['reasoning', canonical.reasoning !== undefined],
    ['verbosity', canonical.verbosity !== undefined],
  ];
  for (const [name, isUsed] of also) if (isUsed) used.push(name);
  return used;
}
