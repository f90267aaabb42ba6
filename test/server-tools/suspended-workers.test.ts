import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ScriptedAnswer, SeenRequest, SeenTurn } from '../dialects/dialect-script.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Got, type Stage, setStage } from '../dialects/support/stage.ts';
import { checkStream } from '../stream-checker.ts';
import { checkEvent, type Read } from './tool-world.ts';

const usage = { input: 30, output: 20 };
const tested = new Set(['openai-chat', 'anthropic-messages', 'google-gemini', 'openai-responses']);
const tides = { type: 'function', name: 'get_tides', parameters: { type: 'object', properties: {} } };
const other = { type: 'function', name: 'get_winds', parameters: { type: 'object', properties: {} } };
const worker = {
  type: 'service:subagent',
  parameters: { inherited_function_names: [' get_tides '], tools: [{ type: 'service:datetime' }] },
};
const tools = [tides, other, worker];
const task = { task_name: 'tides', task_description: 'Find the tides.' };
const user = { role: 'user', content: 'When is high water?' };

const say = (text: string): ScriptedAnswer => ({ utterances: [{ say: [text] }], finish: 'stop', usage });
const call = (...list: (readonly [id: string, name: string, input: object])[]): ScriptedAnswer => ({
  utterances: [
    {
      call: list.map(([id, name, input]) => ({ id, name, arguments: [JSON.stringify(input)] })),
    },
  ],
  finish: 'tool_calls',
  usage,
});
/** Two calls after a thought that has to be handed back, where the dialect knows thoughts. */
const two = call(['call_a1', 'get_tides', { place: 'north' }], ['call_a2', 'get_tides', { place: 'south' }]);
const thought = { think: ['Both ', 'places.'], signature: 'c2lnbmF0dXJl' };
const outputs = ({ turns }: SeenRequest) =>
  turns.flatMap((turn) => ('output' in turn ? [turn.output.text] : []));
const isWorker = ({ tools: offered }: SeenRequest) =>
  !offered.some(({ name }) => name === 'service_subagent');

/**
 * The model gives one task away. The worker asks for the time, calls the client's function at two places, and once more where
 * the first place has none; then it reports.
 */
const play =
  (thinks: boolean) =>
  (request: SeenRequest): ScriptedAnswer => {
    const results = outputs(request);
    if (!isWorker(request))
      return results.length === 0 ? call(['call_a1', 'service_subagent', task]) : say('At noon.');
    if (results.length === 0) return call(['call_a1', 'service_datetime', {}]);
    if (results.length === 1) return thinks ? { ...two, utterances: [thought, ...two.utterances] } : two;
    if (results.length === 3) return call(['call_a1', 'get_tides', { place: 'east' }]);
    return say(`Tides: ${results.slice(1).join(', ')}.`);
  };

const ofType = (body: Read, type: string): Read[] => body.output.filter((item: Read) => item.type === type);
const answerTo = (item: Read, output: string) => ({
  type: 'function_call_output',
  call_id: item.call_id,
  output,
});

function checkEvents({ events }: Got): void {
  checkStream(events);
  for (const event of events) if (/item|_call/.test(event.type)) checkEvent(event);
}

for (const dialect of dialects.filter(({ adapter }) => tested.has(adapter))) {
  for (const stream of [false, true]) {
    describe(`a worker that calls functions of the client over ${dialect.adapter}${stream ? ', streamed' : ''}`, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(async () => {
        assert.deepEqual(await stage.gateway.storage.ledger.verify(), []);
        await stage.strike();
      });
      const ask = async (...input: object[]) => {
        const got = await stage.ask({ tools, input, stream });
        assert.equal(got.status, 200, JSON.stringify(got.body));
        if (stream) checkEvents(got);
        return got;
      };

      test('waits for the client, twice, and the answer goes on', async () => {
        const thinks = dialect.adapter === 'anthropic-messages';
        stage.say(play(thinks));
        const first = await ask(user);
        const [item, ...more] = ofType(first.body, 'service:subagent');
        assert.equal(more.length, 0);
        assert.equal(first.body.status, 'completed');
        assert.equal(item.status, 'in_progress');
        assert.deepEqual([item.call_id, item.task_name, item.outcome], ['call_a1', 'tides', undefined]);
        const [north, south] = ofType(first.body, 'function_call');
        assert.deepEqual(
          [north, south].map(({ name, arguments: input, subagent_id }) => [
            name,
            JSON.parse(input),
            subagent_id,
          ]),
          [
            ['get_tides', { place: 'north' }, 'call_a1'],
            ['get_tides', { place: 'south' }, 'call_a1'],
          ],
        );
        assert.notEqual(north.call_id, south.call_id);
        assert.ok(north.subagent_items.length > 0);
        assert.equal(south.subagent_items, undefined);
        if (stream) checkAnnounced(first, item.id);
        assert.deepEqual(namesOf(stage), ['get_tides', 'service_datetime']);

        const asked = stage.provider.seen.length;
        const replay = [user, ...first.body.output, answerTo(north, '11:40'), answerTo(south, '12:10')];
        const second = await ask(...replay);
        assert.equal(stage.provider.seen.length, asked + 1, 'the model that answers is not asked');
        const thoughts = stage.lastSeen.turns.flatMap((turn) => ('thinking' in turn ? [turn.thinking] : []));
        assert.deepEqual(thoughts, thinks ? [{ text: 'Both places.', signature: 'c2lnbmF0dXJl' }] : []);
        assert.deepEqual(
          second.body.output.map(({ type }: Read) => type),
          ['function_call'],
        );
        const [east] = second.body.output;
        assert.ok(east.subagent_items.length > 0);

        const last = [...replay, ...second.body.output, answerTo(east, '12:30')];
        const third = await ask(...last);
        const [ended] = ofType(third.body, 'service:subagent');
        assert.notEqual(ended.id, item.id);
        assert.deepEqual(
          [ended.call_id, ended.status, ended.outcome],
          ['call_a1', 'completed', `Tides: 11:40, 12:10, 12:30.`],
        );
        assert.equal(third.text, 'At noon.');
        assert.deepEqual(shapeOf(stage.lastSeen.turns), ['user', 'service_subagent', 'output']);
        assert.match(outputs(stage.lastSeen)[0] ?? '', /Tides: 11:40, 12:10, 12:30\./);

        const done = stage.provider.seen.length;
        await ask(...last, ...third.body.output, { role: 'user', content: 'And now?' });
        assert.equal(stage.provider.seen.length, done + 1, 'nothing runs again');
        assert.deepEqual(shapeOf(stage.lastSeen.turns), [
          'user',
          'service_subagent',
          'output',
          'assistant',
          'user',
        ]);
      });
    });
  }
}

/** The item of the worker begins whole and never ends; what the worker wrote comes with the end of its first call alone. */
function checkAnnounced({ events }: Got, id: string): void {
  const of = (type: string) => events.filter((event) => event.type === type).map(({ item }) => item as Read);
  const added = of('response.output_item.added');
  const [item] = added.filter((one) => one.id === id);
  assert.deepEqual([item.status, item.call_id, item.task_name], ['in_progress', 'call_a1', 'tides']);
  assert.deepEqual(
    of('response.output_item.done').filter((one) => one.id === id),
    [],
  );
  const calls = added.filter(({ type }) => type === 'function_call');
  assert.deepEqual(
    calls.map(({ subagent_id, subagent_items }) => [subagent_id, subagent_items]),
    [
      ['call_a1', undefined],
      ['call_a1', undefined],
    ],
  );
  const done = of('response.output_item.done').filter(({ type }) => type === 'function_call');
  assert.deepEqual(
    done.map(({ subagent_items }) => subagent_items !== undefined),
    [true, false],
  );
}

function namesOf({ provider }: Stage): readonly string[] {
  return provider.seen.at(-1)?.tools.map(({ name }) => name) ?? [];
}

function shapeOf(turns: readonly SeenTurn[]): readonly string[] {
  return turns.map((turn) => {
    if ('role' in turn) return turn.role;
    if ('call' in turn) return turn.call.name;
    return 'output' in turn ? 'output' : 'thinking';
  });
}
