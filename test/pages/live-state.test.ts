import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveRequest } from '../../clients/headgate-api.ts';
import { afterEvent, inOrder, nothingYet, speedOf } from '../../dashboard/pages/live/live-state.ts';

const at = (seconds: number) => new Date(1_000_000 + seconds * 1000).toISOString();

function rowOf(id: string, began: number, changes: Partial<LiveRequest> = {}): LiveRequest {
  return {
    id,
    process: 'box:1',
    account_id: 'a',
    key_hash: 'k',
    workspace_id: null,
    requested_model: 'acme/atlas-4',
    model: null,
    provider: null,
    attempt: 1,
    phase: 'waiting',
    streamed: true,
    began_at: at(began),
    first_token_ms: null,
    output_tokens: 0,
    ceiling_nano: null,
    outcome: null,
    cost_nano: null,
    ended_at: null,
    ...changes,
  };
}

const counts = { running: 1, streams: 1, done: 0, failed: 0 };
const ids = (rows: readonly LiveRequest[]) => rows.map(({ id }) => id);

test('rows come, change, end, stay ten seconds by the clock of the server, and go', () => {
  const now = 500;
  const ahead = 1_000_000 - 500;
  let state = afterEvent(
    nothingYet,
    { name: 'snapshot', data: { as_of: at(0), ...counts, rows: [rowOf('b', -1), rowOf('a', -5)] } },
    now,
  );
  assert.equal(state.offset, ahead);
  assert.deepEqual(ids(inOrder(state, false)), ['a', 'b']);
  assert.deepEqual(ids(inOrder(state, true)), ['b', 'a']);
  state = afterEvent(state, { name: 'begin', data: rowOf('c', 1) }, now);
  state = afterEvent(state, { name: 'end', data: rowOf('a', -5, { phase: 'ended', ended_at: at(2) }) }, now);
  state = afterEvent(state, { name: 'count', data: { as_of: at(11), ...counts } }, now + 11_000);
  assert.deepEqual(ids(inOrder(state, false)), ['a', 'b', 'c']);
  state = afterEvent(state, { name: 'snapshot', data: { as_of: at(11), ...counts, rows: [] } }, now + 11_000);
  assert.deepEqual(ids(inOrder(state, false)), ['a'], 'a new snapshot keeps what has just ended');
  state = afterEvent(state, { name: 'count', data: { as_of: at(12.5), ...counts } }, now + 12_500);
  assert.deepEqual(ids(inOrder(state, false)), []);
  assert.equal(afterEvent(state, { name: 'lost', data: { count: 3 } }, now).lost, 3);
  assert.equal(afterEvent(state, { name: 'unknown', data: {} }, now), state);
});

test('the speed counts from the first token', () => {
  const row = rowOf('a', 0, { first_token_ms: 1_000, output_tokens: 30 });
  assert.equal(speedOf(row, Date.parse(at(4))), 10);
  assert.equal(speedOf({ ...row, ended_at: at(2) }, Date.parse(at(9))), 30);
  assert.equal(speedOf(rowOf('a', 0), Date.parse(at(4))), undefined);
});
