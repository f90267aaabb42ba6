import assert from 'node:assert/strict';
import type { ScriptedAnswer, ScriptedUsage } from '../dialect-script.ts';
import { type Behaviour, modes } from './behaviour.ts';

const ending = (finish: ScriptedAnswer['finish'], usage: ScriptedUsage | undefined): ScriptedAnswer => ({
  utterances: [{ say: ['It was a dark ', 'and stormy'] }],
  finish,
  ...(usage === undefined ? {} : { usage }),
});

/** How answers end, and what they are said to have used. */
export const endings: readonly Behaviour[] = [
  {
    name: 'cut off by length',
    async run({ say, ask }) {
      say(ending('length', { input: 9, output: 5 }));
      for (const mode of modes) {
        const { body, text } = await ask({ ...mode, max_output_tokens: 16 });
        assert.equal(body.status, 'incomplete');
        assert.deepEqual(body.incomplete_details, { reason: 'max_output_tokens' });
        assert.equal(body.output.at(-1).status, 'incomplete');
        assert.equal(text, 'It was a dark and stormy');
      }
    },
  },
  {
    name: 'cut off by a content filter',
    async run({ say, ask }) {
      say(ending('content_filter', { input: 9, output: 5 }));
      for (const mode of modes) {
        const { body } = await ask(mode);
        assert.equal(body.status, 'incomplete');
        assert.deepEqual(body.incomplete_details, { reason: 'content_filter' });
      }
    },
  },
  {
    name: 'a call cut off by length keeps its fragment',
    says: ['cut call'],
    async run({ say, ask }) {
      const call = { id: 'call_l1', name: 'get_tide', arguments: ['{"port":', '"Bre'] };
      say({ utterances: [{ call: [call] }], finish: 'length', usage: { input: 9, output: 5 } });
      const tools = [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }];
      const { body } = await ask({ stream: true, tools });
      assert.equal(body.status, 'incomplete', JSON.stringify(body));
      assert.equal(body.output[0].arguments, '{"port":"Bre');
      assert.equal(body.output[0].status, 'incomplete');
    },
  },
  {
    name: 'usage is exact',
    async run({ say, ask }) {
      say(ending('stop', { input: 1200, output: 345 }));
      for (const mode of modes) {
        const { usage } = (await ask(mode)).body;
        assert.deepEqual([usage.input_tokens, usage.output_tokens, usage.total_tokens], [1200, 345, 1545]);
        assert.equal(usage.cost, (1200 * 3 + 345 * 15) / 1_000_000);
      }
    },
  },
  {
    name: 'usage with a cache read: part of the input, once',
    async run({ say, ask }) {
      say(ending('stop', { input: 1200, cacheRead: 1000, output: 10 }));
      for (const mode of modes) {
        const { usage } = (await ask(mode)).body;
        assert.equal(usage.input_tokens, 1200);
        assert.equal(usage.input_tokens_details.cached_tokens, 1000);
        assert.equal(usage.total_tokens, 1210);
      }
    },
  },
  {
    name: 'usage with reasoning: part of the output, once',
    async run({ say, ask, dialect }) {
      say(ending('stop', { input: 100, output: 80, reasoning: 60 }));
      for (const mode of modes) {
        const { usage } = (await ask(mode)).body;
        assert.deepEqual([usage.output_tokens, usage.total_tokens], [80, 180]);
        const { reasoning_tokens: told } = usage.output_tokens_details;
        assert.ok(told === 60 || (told === 0 && dialect.hidesReasoningTokens === true), `${told}`);
      }
    },
  },
  {
    name: 'usage that never comes is estimated, not free',
    async run({ say, ask }) {
      say(ending('stop', undefined));
      for (const mode of modes) {
        const { usage, status } = (await ask(mode)).body;
        assert.equal(status, 'completed');
        assert.ok(usage.input_tokens > 0 && usage.output_tokens > 0 && usage.cost > 0, JSON.stringify(usage));
      }
    },
  },
  {
    name: 'the charge is the one the client saw',
    async run({ say, ask, gateway }) {
      say(ending('stop', { input: 1234, output: 56 }));
      const { headers, body } = await ask({ stream: true });
      const record = await gateway.storage.generations.find(headers.get('x-generation-id') ?? '');
      assert.equal(Number(record?.cost) / 1e9, body.usage.cost);
      assert.equal(record?.usage.output, 56);
    },
  },
];
