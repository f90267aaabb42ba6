import type { CanonicalRequest } from '../../../core/request.ts';
import type { WithoutNulls } from '../../gateway/without-nulls.ts';
import type { MessagesRequest } from './messages-request-schema.ts';

/** What this format calls settings, by their names in bodies of `POST /responses`. */
export const settingNames: Readonly<Record<string, string>> = {
  'reasoning.effort': 'output_config.effort',
  'reasoning.max_tokens': 'thinking.budget_tokens',
  'text.format': 'output_config.format',
  stop: 'stop_sequences',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  user: 'metadata.user_id',
};

/** The names of docs/spec/routing.md#parameters that a request uses. */
export function namesUsed(
  body: WithoutNulls<MessagesRequest>,
  { format, sampling, parallelToolCalls }: CanonicalRequest,
  offersTools: boolean,
): readonly string[] {
  const uses: readonly (readonly [string, boolean])[] = [
    ['temperature', body.temperature !== undefined],
    ['top_p', body.top_p !== undefined],
    ['top_k', body.top_k !== undefined],
    ['parallel_tool_calls', parallelToolCalls !== undefined],
    ['max_tokens', body.max_tokens !== undefined],
    ['stop', sampling.stop !== undefined],
    ['tools', offersTools],
    ['tool_choice', offersTools && body.tool_choice !== undefined],
    ['structured_outputs', format.kind === 'json_schema'],
    // Agents ask every model to think, so `require_parameters` does not count it against one that cannot.
  ];
  return uses.flatMap(([name, isUsed]) => (isUsed ? name : []));
}
