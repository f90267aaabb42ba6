import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type Anthropic from '@anthropic-ai/sdk';
import type { ScriptedAnswer } from '../dialects/dialect-script.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { checkContract } from '../support/contract.ts';
import { checkMessageStream } from './message-checker.ts';
import { clientOf, post } from './messages-gateway.ts';

type Message = Anthropic.Message;
type Body = Anthropic.MessageCreateParamsNonStreaming;

const model = 'acme/atlas-4';
const hello: Body = { model, max_tokens: 2_000, messages: [{ role: 'user', content: 'Hello' }] };
const tide: Anthropic.Tool = {
  name: 'tide',
  description: 'When the tide is high',
  input_schema: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] },
};
const usage = { input: 20, output: 9 };

/** A message without what differs between two answers. */
function comparable(message: Message) {
  const content = message.content.map((block) =>
    block.type === 'thinking' ? { ...block, signature: typeof block.signature } : block,
  );
  // The client's accumulator keeps the counts it knows.
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
  const counts = { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens };
  return { ...message, id: '', content, usage: counts };
}

for (const dialect of dialects) {
  describe(`${dialect.adapter} ${dialect.model ?? ''}`, { concurrency: false }, () => {
    let stage: Stage & { readonly strike: () => Promise<void> };
    let client: Anthropic;

    before(async () => {
      stage = await setStage(dialect);
      client = clientOf(stage.gateway);
    });
    after(() => stage.strike());

    /** The same answer unstreamed, streamed by the client's helper, and as checked text. */
    async function ask(script: ScriptedAnswer, body: Body = hello): Promise<Message> {
      stage.say(script);
      const whole = await client.messages.create(body);
      checkContract('MessagesResult', JSON.parse(JSON.stringify(whole)));
      const streamed = await client.messages.stream(body).finalMessage();
      assert.deepEqual(comparable(streamed), { ...comparable(whole), ...pickParsed(streamed) });
      const text = await (await post(stage.gateway, { ...body, stream: true })).text();
      const { message } = checkMessageStream(text);
      assert.deepEqual(comparable(message as unknown as Message).content, comparable(whole).content);
      return whole;
    }

    test('says text, and its usage adds up', async () => {
      const answer = await ask({ utterances: [{ say: ['Good ', 'day.'] }], finish: 'stop', usage });
      assert.deepEqual(answer.content, [{ type: 'text', text: 'Good day.', citations: [] }]);
      assert.equal(answer.stop_reason, 'end_turn');
      const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = answer.usage;
      assert.equal(
        input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
        usage.input,
      );
      assert.equal(answer.usage.output_tokens, usage.output);
    });

    test('makes calls one after the other, and takes their results with a picture and an error', async () => {
      const calls: ScriptedAnswer = {
        utterances: [
          { say: ['Let me look.'] },
          {
            call: [
              { id: 'toolu_1', name: 'tide', arguments: ['{"port":', '"Brest"}'] },
              { id: 'toolu_2', name: 'tide', arguments: ['{"port":', '"Cork"}'] },
            ],
          },
        ],
        finish: 'tool_calls',
        usage,
      };
      const first = await ask(calls, { ...hello, tools: [tide] });
      assert.equal(first.stop_reason, 'tool_use');
      const uses = first.content.filter((block) => block.type === 'tool_use');
      assert.deepEqual(
        uses.map(({ input }) => input),
        [{ port: 'Brest' }, { port: 'Cork' }],
      );
      const results: Anthropic.ToolResultBlockParam[] = [
        { type: 'tool_result', tool_use_id: uses[0]?.id ?? '', content: 'noon' },
        { type: 'tool_result', tool_use_id: uses[1]?.id ?? '', content: 'no such port', is_error: true },
      ];
      const answer = await ask(
        { utterances: [{ say: ['At noon.'] }], finish: 'stop', usage },
        {
          ...hello,
          tools: [tide],
          messages: [
            ...hello.messages,
            { role: 'assistant', content: first.content },
            { role: 'user', content: results },
          ],
        },
      );
      assert.equal(answer.content[0]?.type, 'text');
      const turns = JSON.stringify(stage.lastSeen.turns);
      assert.match(turns, /noon/);
      assert.match(turns, /no such port/);
    });

    test('ends at the limit', async () => {
      const answer = await ask({ utterances: [{ say: ['Good'] }], finish: 'length', usage });
      assert.equal(answer.stop_reason, 'max_tokens');
    });

    test('thinks, and gets its thought back as it was', async (t) => {
      if (dialect.cannot.has('think') || dialect.cannot.has('seal') || dialect.cannot.has('signature')) {
        return t.skip('cannot sign a thought');
      }
      const thinking = { type: 'enabled', budget_tokens: 1_024 } as const;
      const first = await ask(
        {
          utterances: [
            { think: ['Need ', 'the tide.'], signature: 'c2lnbmF0dXJl' },
            { call: [{ id: 'toolu_1', name: 'tide', arguments: ['{"port":"Brest"}'] }] },
          ],
          finish: 'tool_calls',
          usage: { ...usage, reasoning: 4 },
        },
        { ...hello, thinking, tools: [tide] },
      );
      const [thought, use] = first.content;
      assert.equal(thought?.type, 'thinking');
      assert.ok(use?.type === 'tool_use');
      await ask(
        { utterances: [{ say: ['At noon.'] }], finish: 'stop', usage },
        {
          ...hello,
          thinking,
          tools: [tide],
          messages: [
            ...hello.messages,
            { role: 'assistant', content: first.content },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'noon' }] },
          ],
        },
      );
      const sent = JSON.stringify(stage.provider.bodies.at(-1));
      assert.match(sent, /c2lnbmF0dXJl/, 'the signature came back');
      assert.doesNotMatch(sent, /hg1\./, 'no carrier leaves the gateway');
    });

    test('fails in the middle of a stream with an error event', async (t) => {
      const failure = dialect.failureEvent('overloaded', 'too busy');
      if (failure === undefined) return t.skip('cannot fail in a stream');
      const said = dialect.answer({ utterances: [{ say: ['Good ', 'day.'] }], finish: 'stop' }, true);
      stage.deliver({ ...said, body: [...said.body.slice(0, -2), failure] });
      const text = await (await post(stage.gateway, { ...hello, stream: true })).text();
      const { message, error } = checkMessageStream(text);
      if (message === undefined) assert.ok(error?.type);
      stage.deliver(dialect.failure('overloaded', 'too busy'));
      const refused = await post(stage.gateway, { ...hello, stream: true });
      assert.ok(refused.status >= 500);
      const body = await refused.json();
      checkContract('AnthropicMessagesErrorResponse', body);
    });
  });
}

/** What the helper adds to messages. */
function pickParsed(message: object): object {
  return 'parsed_output' in message ? { parsed_output: message.parsed_output } : {};
}
