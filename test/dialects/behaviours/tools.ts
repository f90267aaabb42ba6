import assert from 'node:assert/strict';
import type { ScriptedAnswer, ScriptedToolCall } from '../dialect-script.ts';
import type { Got } from '../support/stage.ts';
import { type Behaviour, modes } from './behaviour.ts';

const usage = { input: 30, output: 12 };
const parameters = {
  type: 'object',
  properties: { port: { type: 'string' } },
  required: ['port'],
  additionalProperties: false,
};
const tide = { type: 'function', name: 'get_tide', description: 'The tide', parameters };
const wind = { type: 'function', name: 'get_wind', parameters };
const calling = (...call: ScriptedToolCall[]): ScriptedAnswer => ({
  utterances: [{ call }],
  finish: 'tool_calls',
  usage,
});
const brest: ScriptedToolCall = { id: 'call_a1', name: 'get_tide', arguments: ['{"port":', '"Brest"}'] };
const calais: ScriptedToolCall = {
  id: 'call_b2',
  name: 'get_wind',
  arguments: ['{"po', 'rt":"Cal', 'ais"}'],
};
const spoken: ScriptedAnswer = { utterances: [{ say: ['High at noon.'] }], finish: 'stop', usage };

function callsOf({ body }: Got): { name: string; arguments: string; call_id: string }[] {
  return body.output.filter((item: { type: string }) => item.type === 'function_call');
}

/** Functions of the client. */
export const tools: readonly Behaviour[] = [
  {
    name: 'functions are offered with their schema',
    async run(stage) {
      stage.say(spoken);
      await stage.ask({ tools: [tide, wind] });
      assert.deepEqual(
        stage.lastSeen.tools.map(({ name }) => name),
        ['get_tide', 'get_wind'],
      );
      const sent = stage.lastSeen.tools[0]?.parameters as typeof parameters;
      assert.deepEqual([sent.properties, sent.required], [parameters.properties, parameters.required]);
    },
  },
  {
    name: 'a call, streamed and not',
    async run({ say, ask }) {
      say(calling(brest));
      for (const mode of modes) {
        const got = await ask({ ...mode, tools: [tide] });
        assert.equal(got.body.status, 'completed');
        const [call, ...others] = callsOf(got);
        assert.equal(others.length, 0);
        assert.deepEqual([call?.name, JSON.parse(call?.arguments ?? '')], ['get_tide', { port: 'Brest' }]);
        assert.ok((call?.call_id ?? '').length > 0);
      }
    },
  },
  {
    name: 'parallel calls keep their order and their arguments',
    async run({ say, ask }) {
      say(calling(brest, calais, { ...brest, id: 'call_c3' }));
      for (const mode of modes) {
        const calls = callsOf(await ask({ ...mode, tools: [tide, wind] }));
        assert.deepEqual(
          calls.map(({ name, arguments: input }) => [name, JSON.parse(input)]),
          [
            ['get_tide', { port: 'Brest' }],
            ['get_wind', { port: 'Calais' }],
            ['get_tide', { port: 'Brest' }],
          ],
        );
        assert.equal(new Set(calls.map(({ call_id }) => call_id)).size, 3, 'ids tell them apart');
      }
    },
  },
  {
    name: 'a call without arguments has an empty object',
    async run({ say, ask }) {
      say(calling({ id: 'call_d4', name: 'get_time', arguments: [] }));
      const time = { type: 'function', name: 'get_time', parameters: null };
      for (const mode of modes) {
        const [call] = callsOf(await ask({ ...mode, tools: [time] }));
        assert.equal(call?.arguments, '{}');
      }
    },
  },
  {
    name: 'text, then a call',
    async run({ say, ask }) {
      say({ utterances: [{ say: ['Let me ', 'look.'] }, { call: [brest] }], finish: 'tool_calls', usage });
      for (const mode of modes) {
        const { body } = await ask({ ...mode, tools: [tide] });
        assert.deepEqual(
          body.output.map((item: { type: string }) => item.type),
          ['message', 'function_call'],
        );
      }
    },
  },
  {
    name: 'odd letters in arguments',
    async run({ say, ask }) {
      const value = { port: 'Ærø "quoted" \\ \n 漢字 👩‍🚀 \u0007' };
      const json = JSON.stringify(value);
      say(calling({ ...brest, arguments: [json.slice(0, 12), json.slice(12)] }));
      for (const mode of modes) {
        const [call] = callsOf(await ask({ ...mode, tools: [tide] }));
        assert.deepEqual(JSON.parse(call?.arguments ?? ''), value);
      }
    },
  },
  {
    name: 'a call and its output come back in the next turn',
    async run(stage) {
      stage.say(calling(brest), spoken);
      const first = await stage.ask({ tools: [tide] });
      const [call] = callsOf(first);
      const output = { type: 'function_call_output', call_id: call?.call_id, output: 'High at noon' };
      const second = await stage.ask({
        tools: [tide],
        input: [{ role: 'user', content: 'Hello' }, ...first.body.output, output],
      });
      assert.equal(second.text, 'High at noon.', JSON.stringify(second.body));
      const called = stage.lastSeen.turns.flatMap((turn) => ('call' in turn ? [turn.call] : []));
      const answered = stage.lastSeen.turns.flatMap((turn) => ('output' in turn ? [turn.output] : []));
      assert.deepEqual(
        called.map(({ name, arguments: input }) => [name, input]),
        [['get_tide', { port: 'Brest' }]],
      );
      assert.match(answered[0]?.text ?? '', /High at noon/);
      assert.equal(answered[0]?.id, called[0]?.id);
    },
  },
  {
    name: 'parallel calls and their outputs come back in order',
    async run(stage) {
      stage.say(calling(brest, calais), spoken);
      const first = await stage.ask({ tools: [tide, wind] });
      const outputs = callsOf(first).map(({ call_id, name }) => ({
        type: 'function_call_output',
        call_id,
        output: `of ${name}`,
      }));
      const second = await stage.ask({
        tools: [tide, wind],
        input: [{ role: 'user', content: 'Hello' }, ...first.body.output, ...outputs],
      });
      assert.equal(second.status, 200, JSON.stringify(second.body));
      const answered = stage.lastSeen.turns.flatMap((turn) => ('output' in turn ? [turn.output.text] : []));
      assert.equal(answered.length, 2);
      assert.match(answered[0] ?? '', /of get_tide/);
      assert.match(answered[1] ?? '', /of get_wind/);
    },
  },
  {
    name: 'with parallel calls off the first one counts',
    async run({ say, ask }) {
      say(calling(brest, calais));
      for (const mode of modes) {
        const calls = callsOf(await ask({ ...mode, tools: [tide, wind], parallel_tool_calls: false }));
        assert.deepEqual(
          calls.map(({ name }) => name),
          ['get_tide'],
        );
      }
    },
  },
  {
    name: 'every tool choice is served',
    async run({ say, ask }) {
      say(calling(brest));
      for (const choice of ['auto', 'required', { type: 'function', name: 'get_tide' }]) {
        const got = await ask({ tools: [tide, wind], tool_choice: choice });
        assert.equal(got.status, 200, JSON.stringify(got.body));
        assert.equal(callsOf(got).length, 1);
      }
      say(spoken);
      const none = await ask({ tools: [tide, wind], tool_choice: 'none' });
      assert.equal(none.text, 'High at noon.');
    },
  },
  {
    name: 'a call outside allowed_tools is not forwarded',
    async run({ say, ask }) {
      say(calling(calais, brest));
      const tool_choice = {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [{ type: 'function', name: 'get_tide' }],
      };
      for (const mode of modes) {
        const got = await ask({ ...mode, tools: [tide, wind], tool_choice });
        assert.deepEqual(
          callsOf(got).map(({ name }) => name),
          ['get_tide'],
        );
      }
    },
  },
  {
    name: 'tools of a namespace come back under it',
    uses: ['tool.namespace'],
    async run({ say, ask, support }) {
      const grouped = { type: 'namespace', name: 'harbour', description: 'Of the harbour', tools: [tide] };
      const flat = typeof support['tool.namespace'] === 'object';
      // A dialect with namespaces of its own says so in words that are its adapter's to test.
      if (!flat) return;
      say(({ tools: offered }) => calling({ ...brest, name: offered[0]?.name ?? '' }));
      for (const mode of modes) {
        const got = await ask({ ...mode, tools: [grouped] });
        const [call] = callsOf(got) as unknown as { name: string; namespace: string }[];
        assert.deepEqual([call?.name, call?.namespace], ['get_tide', 'harbour'], JSON.stringify(got.body));
      }
    },
  },
  {
    name: 'a custom tool that is emulated comes back as one',
    uses: ['tool.custom'],
    async run({ say, ask, support, provider }) {
      const script = { type: 'custom', name: 'run_script', description: 'Runs a script' };
      if (typeof support['tool.custom'] !== 'object') return;
      const text = 'print("漢字")\nexit()';
      say((request) => {
        const [offered] = request.tools;
        const schema = offered?.parameters as { properties?: Record<string, unknown> } | undefined;
        const member = Object.keys(schema?.properties ?? { input: {} })[0] ?? 'input';
        const json = JSON.stringify({ [member]: text });
        return calling({
          id: 'call_e5',
          name: offered?.name ?? '',
          arguments: [json.slice(0, 9), json.slice(9)],
        });
      });
      for (const mode of modes) {
        const { body } = await ask({ ...mode, tools: [script] });
        const call = body.output.find((item: { type: string }) => item.type === 'custom_tool_call');
        assert.deepEqual([call?.name, call?.input], ['run_script', text], JSON.stringify(body));
      }
      assert.ok(provider.seen.length === 2);
    },
  },
];
