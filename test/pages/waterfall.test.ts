import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  joinParts,
  nodesOf,
  type SessionRequest,
  scaleOf,
} from '../../dashboard/pages/sessions/waterfall.ts';

/** A call that runs between two moments, in milliseconds. */
function call(id: string, start: number, end: number, more: object = {}) {
  const [created_at, settled_at] = [start, end].map((time) => new Date(time).toISOString());
  const sums = { input_tokens: 10, output_tokens: 5, cost_nano: '3', first_token_ms: 1 };
  const named = { id, model: 'a/b', requested_model: 'a/b', outcome: 'ok' };
  return { ...named, ...sums, created_at, settled_at, ...more } as SessionRequest['calls'][number];
}

const request = (id: string, calls: SessionRequest['calls'], steps: SessionRequest['steps'] = []) => ({
  id,
  calls,
  steps,
});

test('a request of several turns has a line for each below it, and their sums', () => {
  const step = { type: 'server_tools', name: 'web_search', summary: '3 results', cost_usd: 0.000000007 };
  const nodes = nodesOf([
    request(
      'one',
      [call('gen-1', 0, 100), call('gen-2', 150, 300, { cost_nano: '4', outcome: 'failed' })],
      [step],
    ),
    request('two', [call('gen-3', 400, 500)]),
  ]);
  assert.deepEqual(
    nodes.map(({ kind, label, call: leads, cost, tokens, outcome }) => [
      kind,
      label,
      leads,
      cost,
      tokens,
      outcome,
    ]),
    [
      ['request', 'a/b', undefined, 7n, 30, 'failed'],
      ['turn', 'Turn 1: a/b', 'gen-1', 3n, 15, 'ok'],
      ['turn', 'Turn 2: a/b', 'gen-2', 4n, 15, 'failed'],
      ['step', 'web_search: 3 results', undefined, 7n, 0, undefined],
      ['request', 'a/b', 'gen-3', 3n, 15, 'ok'],
    ],
  );
  assert.deepEqual(nodes[0]?.time, { start: 0, firstToken: undefined, end: 300 });
  assert.deepEqual(nodes[4]?.time, { start: 400, firstToken: 401, end: 500 });
  assert.ok(
    nodes.every(({ isCritical }) => !isCritical),
    'of a mere sequence nothing is marked',
  );
});

test('of requests beside each other the chain that ended last is marked', () => {
  const nodes = nodesOf([
    request('plan', [call('gen-1', 0, 100)]),
    request('short', [call('gen-2', 100, 150)]),
    request('long', [call('gen-3', 100, 400)]),
    request('end', [call('gen-4', 400, 500)]),
  ]);
  const marked = nodes.filter(({ isCritical }) => isCritical).map(({ key }) => key);
  assert.deepEqual(marked, ['plan', 'long', 'end']);
});

test('a long pause takes little room, and order and proportions stay', () => {
  const nodes = nodesOf([
    request('one', [call('gen-1', 0, 100)]),
    request('two', [call('gen-2', 1_000_000, 1_000_100)]),
  ]);
  const { at, longestPause } = scaleOf(nodes);
  assert.equal(longestPause, 20);
  const places = [0, 50, 100, 500_000, 1_000_000, 1_000_100].map((time) => Math.round(at(time)));
  assert.deepEqual(places, [0, 23, 45, 50, 55, 100]);
  assert.equal(scaleOf(nodes.slice(0, 1)).longestPause, undefined);
  assert.equal(scaleOf([]).at(7), 0);
});

test('a request whose turns came in two parts is one again', () => {
  const late = [request('one', [call('gen-2', 200, 300)]), request('two', [call('gen-3', 400, 500)])];
  const early = [request('one', [call('gen-1', 0, 100)])];
  const joined = joinParts([late, early]);
  assert.deepEqual(
    joined.map(({ id, calls }) => [id, calls.map((one) => one.id)]),
    [
      ['one', ['gen-1', 'gen-2']],
      ['two', ['gen-3']],
    ],
  );
});

test('a thousand turns are drawn in a moment', () => {
  const many = Array.from({ length: 1_000 }, (_, at) =>
    request(`r${at}`, [call(`gen-${at}`, at * 7, at * 7 + 20)]),
  );
  const nodes = nodesOf(many);
  const { at } = scaleOf(nodes);
  const places = nodes.map(({ time }) => at(time?.start ?? -1));
  assert.equal(places.length, 1_000);
  assert.ok(places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0)));
});
