import { checkMessageStream } from '../../messages/message-checker.ts';
import type { PublicClient, Said } from './public-clients.ts';

type Block = { readonly type: string; readonly [member: string]: unknown };

/** Clients of the Messages format. */
export const messagesClient: PublicClient = {
  name: 'messages',
  path: '/api/v1/messages',
  body: ({ system, text, tools, effort, maxTokens }, model) => ({
    model,
    messages: [{ role: 'user', content: text }],
    ...(system !== undefined && { system }),
    ...(tools !== undefined && {
      tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })),
    }),
    ...(effort !== undefined && { output_config: { effort } }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  }),
  read({ content, stop_reason: reason, stop_details: details, usage }) {
    const blocks = content as Block[];
    const of = (kind: string) => blocks.filter(({ type }) => type === kind);
    const written = of('text')
      .map(({ text }) => text)
      .join('');
    // This format has no place of its own for what a model says when it refuses.
    const refusal: string = details?.explanation ?? '';
    const citations = of('text').flatMap(({ citations: cited }) => cited as { url: string }[]);
    const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
    return {
      text: written.slice(0, written.length - refusal.length),
      refusal,
      citations: citations.map(({ url }) => url),
      reasoning: of('thinking')
        .map(({ thinking }) => thinking)
        .join('\n\n'),
      calls: of('tool_use').map(({ id, name, input }) => [String(id), String(name), input]),
      pictures: 0,
      ending: endingOf(reason, refusal !== ''),
      input: usage.input_tokens + cached,
      output: usage.output_tokens,
      cost: usage.cost,
    };
  },
  gather: (stream) => checkMessageStream(stream).message,
};

function endingOf(reason: string, refuses: boolean): Said['ending'] {
  if (reason === 'tool_use') return 'tool_calls';
  if (reason === 'max_tokens') return 'length';
  return reason === 'refusal' && !refuses ? 'content_filter' : 'stop';
}
