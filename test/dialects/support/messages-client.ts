import { checkMessageStream } from '../../messages/message-checker.ts';
import type { MadeCall, PublicClient, Said } from './public-clients.ts';

type Block = { readonly type: string; readonly [member: string]: unknown };

function useOf({ id, name, input }: MadeCall): Block {
  return { type: 'tool_use', id, name, input };
}

function resultOf({ id, output }: MadeCall): Block {
  return { type: 'tool_result', tool_use_id: id, content: output };
}

/** Clients of the Messages format. */
export const messagesClient: PublicClient = {
  name: 'messages',
  path: '/api/v1/messages',
  body: (asked, model) => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: asked.text },
          ...(asked.picture === undefined
            ? []
            : [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: asked.picture } }]),
        ],
      },
      ...(asked.called === undefined
        ? []
        : [
            { role: 'assistant', content: asked.called.map(useOf) },
            { role: 'user', content: asked.called.map(resultOf) },
          ]),
    ],
    ...(asked.system !== undefined && { system: asked.system }),
    ...(asked.tools && {
      tools: asked.tools.map(({ name, parameters }) => ({ name, input_schema: parameters })),
    }),
    ...((asked.effort !== undefined || asked.schema !== undefined) && {
      output_config: {
        ...(asked.effort !== undefined && { effort: asked.effort }),
        ...(asked.schema && { format: { type: 'json_schema', schema: asked.schema } }),
      },
    }),
    ...(asked.maxTokens !== undefined && { max_tokens: asked.maxTokens }),
    ...(asked.temperature !== undefined && { temperature: asked.temperature }),
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
      cached: usage.cache_read_input_tokens ?? 0,
      thought: usage.output_tokens_details?.thinking_tokens ?? 0,
      cost: usage.cost,
    };
  },
  gather: (stream) => checkMessageStream(stream).message,
  broken(stream) {
    const { events, error } = checkMessageStream(stream);
    const deltas = events.map(({ delta }) => delta as { text?: string } | undefined);
    return { text: deltas.map((delta) => delta?.text ?? '').join(''), errorType: String(error?.error_type) };
  },
};

function endingOf(reason: string, refuses: boolean): Said['ending'] {
  if (reason === 'tool_use') return 'tool_calls';
  if (reason === 'max_tokens') return 'length';
  return reason === 'refusal' && !refuses ? 'content_filter' : 'stop';
}
