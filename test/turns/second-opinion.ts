import { HeadgateError } from '../../src/core/errors.ts';
import { plainChat } from '../../src/core/request.ts';
import type { ServerTool, ToolOffer } from '../../src/server-tools/server-tool.ts';
import { chatChunk, dataEvent } from '../fake-upstream/chat-stream.ts';

/** The model that the tool asks. */
export const smallModel = 'globex/small';

/** A tool of tests that asks another model: `{question}`. Every request to another model than that one is offered it. */
export const secondOpinion: ServerTool = {
  type: 'service:second_opinion',
  comesUnlisted: true,
  concerns: ({ models }) => models[0] !== smallModel,
  offer: () => [opinionOffer],
};

/** What the tool offers. */
export const opinionOffer: ToolOffer = {
  type: 'service:second_opinion',
  definition: { kind: 'function', name: 'service_second_opinion', parameters: { type: 'object' } },
  async run({ question }, { innerTurn }) {
    if (typeof question !== 'string') throw new HeadgateError('invalid_request', 'question: expected a text');
    const content = [{ kind: 'text', text: question }] as const;
    const canonical = plainChat([{ kind: 'message', role: 'user', content }]);
    const { text, model } = await innerTurn({ models: [smallModel], canonical });
    return { output: text, fields: { question, opinion: text, model } };
  },
};

/** The events of a chat completion that calls functions, with the arguments of each. */
export function callStream(...calls: readonly (readonly [name: string, input: string])[]): string[] {
  const tool_calls = calls.map(([name, input], index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: input },
  }));
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  return [
    chatChunk({ role: 'assistant', content: 'Let me ask. ' }),
    chatChunk({ tool_calls }),
    chatChunk({}, 'tool_calls'),
    dataEvent({ id: 'chatcmpl-1', choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** A call of the tool. */
export const asks = (question: string) => ['service_second_opinion', JSON.stringify({ question })] as const;
