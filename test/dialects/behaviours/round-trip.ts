import assert from 'node:assert/strict';
import type { ScriptedAnswer } from '../dialect-script.ts';
import type { Stage } from '../support/stage.ts';
import { type Behaviour, modes } from './behaviour.ts';

const usage = { input: 20, output: 10 };
const plain: ScriptedAnswer = { utterances: [{ say: ['Yes.'] }], finish: 'stop', usage };
const user = { role: 'user', content: 'Hello' };

async function accepts(stage: Stage, input: readonly unknown[], fields: object = {}): Promise<void> {
  stage.say(plain);
  const { status, body } = await stage.ask({ input, ...fields });
  assert.equal(status, 200, JSON.stringify(body));
}

/** Items of other turns, of other makers and of the gateway's own. */
export const roundTrip: readonly Behaviour[] = [
  {
    name: 'the items of a turn are the input of the next, streamed and not',
    async run(stage) {
      for (const mode of modes) {
        stage.say({ utterances: [{ say: ['Good day.'] }], finish: 'stop', usage }, plain);
        const first = await stage.ask(mode);
        const second = await stage.ask({ input: [user, ...first.body.output, user] });
        assert.equal(second.status, 200, JSON.stringify(second.body));
        const told = stage.lastSeen.turns.flatMap((turn) => ('text' in turn ? [turn.text] : []));
        assert.deepEqual(told, ['Hello', 'Good day.', 'Hello']);
      }
    },
  },
  {
    name: 'calls of the gateway’s own tools are replayed',
    uses: ['item.service'],
    async run(stage) {
      await accepts(stage, [
        user,
        {
          type: 'service:datetime',
          id: 'st_1',
          status: 'completed',
          datetime: '2026-11-21T12:00:00Z',
          timezone: 'UTC',
        },
        { role: 'assistant', content: 'It is noon.' },
        user,
      ]);
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes('2026-11-21T12:00:00Z'));
    },
  },
  {
    name: 'hosted searches of an earlier turn are replayed',
    uses: ['item.hosted'],
    async run(stage) {
      await accepts(stage, [
        user,
        {
          type: 'web_search_call',
          id: 'ws_1',
          status: 'completed',
          action: { type: 'search', query: 'tides of Brest' },
        },
        { role: 'assistant', content: 'High at noon.' },
        user,
      ]);
    },
  },
  {
    name: 'agents’ messages are told',
    uses: ['item.agent_message'],
    async run(stage) {
      await accepts(stage, [
        user,
        {
          type: 'agent_message',
          author: 'scout',
          recipient: 'captain',
          content: [{ type: 'input_text', text: 'Land ahead.' }],
        },
      ]);
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes('Land ahead.'));
    },
  },
  {
    name: 'tools added later are offered',
    uses: ['item.additional_tools'],
    async run(stage) {
      await accepts(stage, [
        user,
        {
          type: 'additional_tools',
          role: 'developer',
          tools: [{ type: 'function', name: 'get_tide', parameters: { type: 'object' } }],
        },
        user,
      ]);
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes('get_tide'));
    },
  },
  {
    name: 'a changed effort is served',
    uses: ['item.configuration_update'],
    run: (stage) =>
      accepts(stage, [user, { type: 'configuration_update', reasoning: { effort: 'low' } }, user]),
  },
  {
    name: 'compactions go to their maker, and to nobody else',
    async run(stage) {
      const input = [{ type: 'compaction', encrypted_content: 'b3BhcXVl' }, user];
      if (stage.support['item.compaction'] === 'native') return accepts(stage, input);
      const { status, body } = await stage.ask({ input });
      assert.equal(status, 400);
      assert.match(body.error.message, /^input\[0\]: only the maker of a compaction can read it/);
    },
  },
  {
    name: 'phases of messages are accepted',
    run: (stage) =>
      accepts(stage, [
        user,
        {
          type: 'message',
          role: 'assistant',
          phase: 'commentary',
          content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
        },
        user,
      ]),
  },
  {
    name: 'shell calls of the client are replayed',
    uses: ['item.hosted'],
    async run(stage) {
      await accepts(stage, [
        user,
        { type: 'shell_call', call_id: 'call_s1', status: 'completed', action: { commands: ['ls -la'] } },
        {
          type: 'shell_call_output',
          call_id: 'call_s1',
          status: 'completed',
          output: [{ stdout: 'total 0', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
        },
        user,
      ]);
      const sent = JSON.stringify(stage.provider.bodies.at(-1));
      assert.ok(sent.includes('ls -la') && sent.includes('total 0'));
    },
  },
  {
    name: 'every sampler is served: taken, or left out',
    async run(stage) {
      await accepts(stage, [user], {
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        frequency_penalty: 0.1,
        presence_penalty: 0.1,
        min_p: 0.05,
        repetition_penalty: 1.1,
        seed: 7,
        stop: ['END'],
      });
    },
  },
  {
    name: 'a strict request is served unaltered or not at all',
    async run(stage) {
      stage.say(plain);
      const got = await stage.ask({ top_a: 0.5, input: [user] }, { 'x-service-strict': 'true' });
      assert.ok(got.status === 200 || got.status === 422, JSON.stringify(got.body));
      const arrived = JSON.stringify(stage.provider.bodies.at(-1) ?? {}).includes('top_a');
      assert.equal(got.status === 200, arrived || stage.support['sampling.top_a'] === 'native');
    },
  },
  {
    name: 'the echo of the upstream body opens the stream, without secrets',
    async run(stage) {
      stage.say(plain);
      const { events } = await stage.ask({ stream: true, debug: { echo_upstream_body: true } });
      assert.equal(events[0]?.type, 'response.debug');
      const echoed = JSON.stringify(events[0]);
      assert.ok(echoed.includes('Hello'));
      assert.ok(!echoed.includes(stage.dialect.credential));
    },
  },
];
