import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../core/errors.ts';
import type { CallNoteStore, NewCallNote } from '../ports/call-notes.ts';
import type { RouteJudgement } from '../routing/plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { CallNoteQueue } from './call-note-queue.ts';

const call = {
  generationId: 'gen-1',
  receivedAt: 5,
  request: {
    models: ['acme/atlas-4'],
    provider: { maxPrice: { prompt: '1' }, zdr: true, order: undefined },
    stream: true,
    canonical: {
      kind: 'chat',
      items: [{ kind: 'message', content: [{ kind: 'text', text: 'a secret prompt' }] }],
      instructions: 'secret instructions',
      tools: [{ kind: 'function', name: 'secret', parameters: {} }],
      format: { kind: 'text' },
    },
  },
  attribution: {},
  caller: { account: { id: 'a' }, key: { hash: 'k', workspaceId: null } },
} as unknown as CallFacts;
const plan = {
  targets: [],
  excluded: [],
  passedOver: [],
  ranked: [],
  candidates: [],
} as unknown as RouteJudgement;
const refusal = new HeadgateError('invalid_request', 'the field "a secret prompt" is wrong');

/** A store that is away as long as a test wants. */
function start(rules: { refusals: boolean; plans: 'off' | 'failures' | 'all' }) {
  const stored: NewCallNote[] = [];
  const state = { isAway: false, pruned: [] as (readonly [number, number])[], left: 0 };
  const store: CallNoteStore = {
    add: async (notes) => {
      if (state.isAway) throw new Error('away');
      stored.push(...notes);
    },
    find: async () => undefined,
    refused: async () => [],
    prune: async (before, most) => {
      state.pruned.push([before, most]);
      return state.left;
    },
  };
  const failures: unknown[] = [];
  const time = { now: 1_000_000 };
  const queue = new CallNoteQueue(
    store,
    { ...rules, keep: 400_000 },
    { clock: { now: () => time.now }, onFailure: (reason) => failures.push(reason), pause: 3_600_000 },
  );
  return { queue, stored, state, failures, time };
}

test('what is kept of a refused request has nothing of what was said', async () => {
  const { queue, stored } = start({ refusals: true, plans: 'off' });
  queue.turnedAway(call, refusal);
  queue.routed(call, plan, true);
  await queue.close();
  assert.equal(stored.length, 1);
  assert.doesNotMatch(
    JSON.stringify(stored, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    /secret/,
  );
  assert.deepEqual(stored[0]?.asked.provider, { max_price: { prompt: '1' }, zdr: true });
  assert.deepEqual(stored[0]?.asked.tools, ['function']);
  assert.deepEqual(stored[0]?.refused?.refusal, { status: 400, message: 'the field "..." is wrong' });
});

test('plans are kept of all calls, of notable ones, or of none', async () => {
  for (const [plans, expected] of [
    ['off', 0],
    ['failures', 1],
    ['all', 2],
  ] as const) {
    const { queue, stored } = start({ refusals: false, plans });
    queue.routed(call, plan, false);
    queue.routed(call, plan, true);
    queue.turnedAway(call, refusal);
    await queue.close();
    assert.equal(stored.length, expected, plans);
  }
});

test('notes that cannot be stored are kept up to a bound, and stored once', async () => {
  const { queue, stored, state, failures } = start({ refusals: true, plans: 'off' });
  state.isAway = true;
  const of = (id: string) =>
    ({ ...call, caller: { ...call.caller, account: { id } } }) as unknown as CallFacts;
  for (let count = 0; count < 105; count += 1) queue.turnedAway(of('greedy'), refusal);
  assert.equal(queue.dropped, 5, 'one account has a tenth of the room');
  for (let count = 0; count < 905; count += 1) queue.turnedAway(of(`a${count}`), refusal);
  assert.equal(queue.dropped, 10);
  await queue.store();
  assert.equal(failures.length, 1);
  state.isAway = false;
  await queue.store();
  await queue.close();
  assert.equal(stored.length, 1_000);
});

test('old notes are deleted part by part, then not for a while', async () => {
  const { queue, state, time } = start({ refusals: true, plans: 'off' });
  state.left = 1_000;
  await queue.store();
  state.left = 0;
  await queue.store();
  await queue.store();
  assert.deepEqual(state.pruned, [
    [600_000, 20_000],
    [600_000, 20_000],
  ]);
  time.now += 700_000;
  await queue.close();
  assert.equal(state.pruned.length, 3);
});
