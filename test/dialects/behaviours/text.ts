import assert from 'node:assert/strict';
import { type Behaviour, modes } from './behaviour.ts';

const usage = { input: 12, output: 7 };
const unicode = ['Grüße ', '漢', '字 👩‍', '🚀 é'];

/** Messages in and out. */
export const text: readonly Behaviour[] = [
  {
    name: 'text, streamed and not',
    async run({ say, ask }) {
      say({ utterances: [{ say: ['Good ', 'day', '.'] }], finish: 'stop', usage });
      for (const mode of modes) {
        const got = await ask(mode);
        assert.equal(got.status, 200, JSON.stringify(got.body));
        assert.equal(got.text, 'Good day.');
        assert.equal(got.body.status, 'completed');
        assert.deepEqual(
          got.body.output.map((item: { type: string }) => item.type),
          ['message'],
        );
      }
    },
  },
  {
    name: 'a stream brings its text piece by piece',
    async run({ say, ask }) {
      say({ utterances: [{ say: ['Good ', 'day', '.'] }], finish: 'stop', usage });
      const { events } = await ask({ stream: true });
      const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
      assert.equal(deltas.map(({ delta }) => delta).join(''), 'Good day.');
      assert.ok(deltas.length >= 2, `${deltas.length} deltas`);
    },
  },
  {
    name: 'letters of every script',
    async run({ say, ask }) {
      say({ utterances: [{ say: unicode }], finish: 'stop', usage });
      for (const mode of modes) assert.equal((await ask(mode)).text, unicode.join(''));
    },
  },
  {
    name: 'many turns arrive in order',
    async run(stage) {
      stage.say({ utterances: [{ say: ['Three.'] }], finish: 'stop', usage });
      const got = await stage.ask({
        input: [
          { role: 'user', content: 'One?' },
          { role: 'assistant', content: 'One.' },
          { role: 'user', content: [{ type: 'input_text', text: 'Two?' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two.' }] },
          { role: 'user', content: 'Three?' },
        ],
      });
      assert.equal(got.status, 200, JSON.stringify(got.body));
      const spoken = stage.lastSeen.turns.flatMap((turn) =>
        'text' in turn ? [`${turn.role}: ${turn.text}`] : [],
      );
      assert.deepEqual(spoken, [
        'user: One?',
        'assistant: One.',
        'user: Two?',
        'assistant: Two.',
        'user: Three?',
      ]);
    },
  },
  {
    name: 'instructions and system messages arrive',
    async run(stage) {
      stage.say({ utterances: [{ say: ['Yes.'] }], finish: 'stop', usage });
      const got = await stage.ask({
        instructions: 'Be brief.',
        input: [
          { role: 'system', content: 'Speak plainly.' },
          { role: 'developer', content: 'No jokes.' },
          { role: 'user', content: 'Ready?' },
        ],
      });
      assert.equal(got.status, 200, JSON.stringify(got.body));
      const everything = JSON.stringify(stage.provider.bodies.at(-1));
      for (const words of ['Be brief.', 'Speak plainly.', 'No jokes.', 'Ready?']) {
        assert.ok(everything.includes(words), `${words} did not arrive`);
      }
      assert.ok(stage.lastSeen.system.includes('Be brief.'));
    },
  },
  {
    name: 'the output limit arrives',
    async run(stage) {
      stage.say({ utterances: [{ say: ['Yes.'] }], finish: 'stop', usage });
      await stage.ask({ max_output_tokens: 321 });
      assert.equal(stage.lastSeen.maxOutputTokens, 321);
    },
  },
  {
    name: 'empty pieces make no empty deltas',
    async run({ say, ask }) {
      say({ utterances: [{ say: ['', 'Good', '', ' day.', ''] }], finish: 'stop', usage });
      const got = await ask({ stream: true });
      assert.equal(got.text, 'Good day.');
    },
  },
  {
    name: 'one huge piece',
    async run({ say, ask }) {
      const huge = 'Ωmega '.repeat(60_000);
      say({ utterances: [{ say: [huge] }], finish: 'stop', usage });
      for (const mode of modes) assert.equal((await ask(mode)).text, huge);
    },
  },
  {
    name: 'thousands of small pieces',
    async run({ say, ask }) {
      const pieces = Array.from({ length: 3000 }, (_, index) => `${index} `);
      say({ utterances: [{ say: pieces }], finish: 'stop', usage });
      assert.equal((await ask({ stream: true })).text, pieces.join(''));
    },
  },
  {
    name: 'a refusal',
    says: ['refuse'],
    async run({ say, ask }) {
      say({ utterances: [{ refuse: ['I cannot ', 'do that.'] }], finish: 'stop', usage });
      for (const mode of modes) {
        const { body } = await ask(mode);
        assert.equal(body.status, 'completed');
        assert.deepEqual(body.output[0].content, [{ type: 'refusal', refusal: 'I cannot do that.' }]);
      }
    },
  },
  {
    name: 'citations stand where they belong',
    says: ['citations'],
    async run({ say, ask }) {
      const said = ['It is 漢字 👩‍🚀 ', 'high noon', '.'];
      const start = (said[0] ?? '').length;
      const citation = {
        type: 'url_citation' as const,
        url: 'https://example.com/noon',
        title: 'Noon',
        start_index: start,
        end_index: start + 'high noon'.length,
      };
      say({ utterances: [{ say: said, citations: [citation] }], finish: 'stop', usage });
      for (const mode of modes) {
        const { body } = await ask(mode);
        const message = body.output.find((item: { type: string }) => item.type === 'message');
        const [part] = message.content;
        assert.equal(part.text, said.join(''));
        assert.equal(part.annotations.length, 1);
        const [found] = part.annotations;
        assert.deepEqual([found.type, found.url, found.title], [citation.type, citation.url, citation.title]);
        assert.deepEqual([found.start_index, found.end_index], [citation.start_index, citation.end_index]);
      }
    },
  },
];
