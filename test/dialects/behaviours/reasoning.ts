import assert from 'node:assert/strict';
import type { ScriptedAnswer } from '../dialect-script.ts';
import type { Got } from '../support/stage.ts';
import { type Behaviour, modes } from './behaviour.ts';

const usage = { input: 20, output: 30, reasoning: 18 };
const answered: ScriptedAnswer = {
  utterances: [{ think: ['7 times ', '6 is 42.'] }, { say: ['42', '.'] }],
  finish: 'stop',
  usage,
};
const plain: ScriptedAnswer = { utterances: [{ say: ['43.'] }], finish: 'stop', usage };
// Every letter of base64, and padding.
const signature = 'RXZlcnkgbGV0dGVyLCBieXRlIGZvciBieXRlLg+/aBcDeF0123456789==';

interface ReasoningItem {
  readonly summary: { text: string }[];
  readonly content: { text: string }[];
  readonly encrypted_content?: string;
  readonly signature?: string;
}

function reasoningOf({ body }: Got): ReasoningItem | undefined {
  return body.output.find((item: { type: string }) => item.type === 'reasoning');
}

function thoughtOf(got: Got): string {
  const { summary = [], content = [] } = reasoningOf(got) ?? {};
  return [...content, ...summary].map(({ text }) => text).join('');
}

/** Thinking out loud, and taking it up again. */
export const reasoning: readonly Behaviour[] = [
  {
    name: 'thoughts come before the answer',
    says: ['think'],
    async run({ say, ask }) {
      say(answered);
      for (const mode of modes) {
        const got = await ask({ ...mode, reasoning: { effort: 'medium' } });
        assert.equal(got.status, 200, JSON.stringify(got.body));
        assert.deepEqual(
          got.body.output.map((item: { type: string }) => item.type),
          ['reasoning', 'message'],
        );
        assert.equal(thoughtOf(got), '7 times 6 is 42.');
        assert.equal(got.text, '42.');
      }
    },
  },
  {
    name: 'excluded thoughts are counted, not told',
    says: ['think'],
    async run({ say, ask }) {
      say(answered);
      for (const mode of modes) {
        const got = await ask({ ...mode, reasoning: { effort: 'medium', exclude: true } });
        assert.equal(reasoningOf(got), undefined);
        assert.equal(got.text, '42.');
        assert.equal(got.body.usage.output_tokens, 30);
      }
    },
  },
  {
    name: 'every effort, and none, is served',
    async run({ say, ask }) {
      say(plain);
      for (const effort of ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none']) {
        const { status, body } = await ask({ reasoning: { effort } });
        assert.equal(status, 200, `${effort}: ${JSON.stringify(body)}`);
      }
    },
  },
  {
    name: 'a budget is served',
    async run({ say, ask }) {
      say(plain);
      const { status, body } = await ask({ reasoning: { max_tokens: 2048 }, max_output_tokens: 8192 });
      assert.equal(status, 200, JSON.stringify(body));
    },
  },
  {
    name: 'a signature comes back byte for byte',
    says: ['signature'],
    async run(stage) {
      stage.say(
        {
          utterances: [{ think: ['7 times ', '6 is 42.'], signature }, { say: ['42.'] }],
          finish: 'stop',
          usage,
        },
        plain,
      );
      const first = await stage.ask({ stream: true, reasoning: { effort: 'medium' } });
      assert.ok(
        JSON.stringify(first.body.output).includes(JSON.stringify(signature)),
        JSON.stringify(first.body),
      );
      const second = await stage.ask({
        reasoning: { effort: 'medium' },
        input: [
          { role: 'user', content: 'Hello' },
          ...first.body.output,
          { role: 'user', content: 'And 43?' },
        ],
      });
      assert.equal(second.status, 200, JSON.stringify(second.body));
      const thoughts = stage.lastSeen.turns.flatMap((turn) => ('thinking' in turn ? [turn.thinking] : []));
      assert.equal(thoughts.at(-1)?.signature, signature);
    },
  },
  {
    name: 'a sealed thought comes back byte for byte when the caller asks for it',
    says: ['encrypted'],
    async run(stage) {
      stage.say(
        { utterances: [{ think: [], encrypted: signature }, { say: ['42.'] }], finish: 'stop', usage },
        plain,
      );
      const settings = { reasoning: { effort: 'medium' }, include: ['reasoning.encrypted_content'] };
      for (const mode of modes) {
        const first = await stage.ask({ ...settings, ...mode });
        assert.equal(reasoningOf(first)?.encrypted_content, signature, JSON.stringify(first.body));
        await stage.ask({
          ...settings,
          input: [
            { role: 'user', content: 'Hello' },
            ...first.body.output,
            { role: 'user', content: 'And 43?' },
          ],
        });
        const thoughts = stage.lastSeen.turns.flatMap((turn) => ('thinking' in turn ? [turn.thinking] : []));
        assert.equal(thoughts.at(-1)?.encrypted, signature);
        stage.say(
          { utterances: [{ think: [], encrypted: signature }, { say: ['42.'] }], finish: 'stop', usage },
          plain,
        );
      }
    },
  },
  {
    name: 'a seal of another maker is left out, its text may stay',
    async run(stage) {
      stage.say(plain);
      const foreign = {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Multiplied.' }],
        encrypted_content: 'Zm9yZWlnbg==',
        signature: 'Zm9yZWlnbg==',
        format: 'meta-responses-v1',
      };
      const { status, body } = await stage.ask({
        input: [
          { role: 'user', content: '6 times 7?' },
          foreign,
          { role: 'assistant', content: '42.' },
          { role: 'user', content: 'And 43?' },
        ],
      });
      assert.equal(status, 200, JSON.stringify(body));
      assert.ok(!JSON.stringify(stage.provider.bodies.at(-1)).includes('Zm9yZWlnbg'));
    },
  },
  {
    name: 'a seal the provider cannot read is left out, and it is asked again',
    async run(stage) {
      const { dialect, support, provider } = stage;
      if (support['item.reasoning.sealed'] !== 'native') return;
      const seal = 'b3RoZXJz';
      const refusal = dialect.failure(
        'invalid_request',
        'messages.1: Invalid `signature` in `thinking` block',
      );
      const sealed = { encrypted_content: seal, signature: seal, format: support.seals?.[0] };
      const input = [
        { role: 'user', content: '6 times 7?' },
        { type: 'reasoning', summary: [], content: [], ...sealed },
        { role: 'assistant', content: '42.' },
        { role: 'user', content: 'And 43?' },
      ];
      for (const mode of modes) {
        stage.deliver(refusal, ({ streamed }) => dialect.answer(plain, streamed));
        const { status, body } = await stage.ask({ ...mode, input });
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(
          provider.bodies.map((sent) => JSON.stringify(sent).includes(seal)),
          [true, false],
        );
      }
      stage.deliver(refusal);
      const strict = await stage.ask({ input }, { 'x-service-strict': 'true' });
      assert.deepEqual([strict.status, provider.bodies.length], [400, 1], JSON.stringify(strict.body));
    },
  },
  {
    name: 'thoughts, a call, and the whole turn back unchanged',
    says: ['think'],
    async run(stage) {
      const call = { id: 'call_t1', name: 'get_tide', arguments: ['{"port":"Brest"}'] };
      stage.say(
        {
          utterances: [{ think: ['I must look.'], signature }, { call: [call] }],
          finish: 'tool_calls',
          usage,
        },
        plain,
      );
      const tools = [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }];
      const first = await stage.ask({ stream: true, tools, reasoning: { effort: 'low' } });
      const made = first.body.output.find((item: { type: string }) => item.type === 'function_call');
      const second = await stage.ask({
        tools,
        reasoning: { effort: 'low' },
        input: [
          { role: 'user', content: 'Hello' },
          ...first.body.output,
          { type: 'function_call_output', call_id: made.call_id, output: 'High' },
        ],
      });
      assert.equal(second.status, 200, JSON.stringify(second.body));
      const turns = stage.lastSeen.turns.map((turn) =>
        Object.keys(turn).find((key) => key !== 'role' && key !== 'media'),
      );
      assert.deepEqual(
        turns.filter((kind) => kind === 'call' || kind === 'output'),
        ['call', 'output'],
      );
      const thought = turns.indexOf('thinking');
      assert.ok(
        thought === -1 || thought < turns.indexOf('call'),
        'the thought stands before what it led to',
      );
    },
  },
  {
    name: 'summaries are summaries',
    says: ['summarize'],
    async run({ say, ask }) {
      say({ utterances: [{ summarize: ['Multi', 'plied.'] }, { say: ['42.'] }], finish: 'stop', usage });
      for (const mode of modes) {
        const got = await ask({ ...mode, reasoning: { effort: 'medium', summary: 'auto' } });
        assert.equal(
          reasoningOf(got)
            ?.summary.map(({ text }) => text)
            .join(''),
          'Multiplied.',
        );
      }
    },
  },
];
