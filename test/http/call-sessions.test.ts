import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { callApi } from '../support/call-api.ts';
import { startGuarded } from '../support/guarded-gateway.ts';
import { idOf } from '../support/keeping-gateway.ts';

type Shown = Readonly<Record<string, unknown>>;

async function begin(t: TestContext) {
  const guarded = await startGuarded();
  t.after(() => guarded.stop());
  return guarded;
}

test('sessions of a range are listed with sums, the latest first, with whatever name they have', async (t) => {
  const { ask, manage, gateway } = await begin(t);
  const odd = 'Zoë\'s "x" \\ {"sessionId":"y"} \u{1f600}';
  await ask({ input: 'one', session_id: odd, user: 'anna' });
  await ask({ input: 'two', session_id: 'session-2' });
  await ask({ input: 'three', session_id: odd, user: 'anna' });
  await ask({ input: 'of none' });
  const { status, body, text } = await manage('GET', '/sessions');
  assert.equal(status, 200, text);
  const shown = body.data.map(({ id, calls, failed, user, input_tokens, output_tokens }: Shown) => ({
    id,
    calls,
    failed,
    user,
    tokens: [input_tokens, output_tokens],
  }));
  assert.deepEqual(shown, [
    { id: odd, calls: 2, failed: 0, user: shown[0]?.user, tokens: [18, 4] },
    { id: 'session-2', calls: 1, failed: 0, user: null, tokens: [9, 2] },
  ]);
  assert.ok(shown[0]?.user);
  assert.equal(body.complete, true);
  assert.ok(BigInt(body.data[0].cost_nano) > 0n);
  assert.ok(body.data[0].from <= body.data[0].to);
  const few = await manage('GET', '/sessions?limit=1');
  assert.deepEqual([few.body.data.length, few.body.complete], [1, false]);
  const none = await manage('GET', '/sessions?to=2020-01-01T00:00:00Z');
  assert.deepEqual([none.body.data, none.body.complete], [[], true]);

  const key = await gateway.createKey();
  await ask({ input: 'four', session_id: 'session-2' }, key);
  const own = await callApi(gateway, key, 'GET', '/sessions');
  assert.deepEqual(
    own.body.data.map(({ id, calls }: Shown) => [id, calls]),
    [['session-2', 1]],
  );
  const ofKey = await manage('GET', `/sessions?key=${hashKey(key)}`);
  assert.equal(ofKey.body.data.length, 1);
});

test('a session shows its requests in their order, with their turns and steps', async (t) => {
  const { ask, manage, gateway, upstream } = await begin(t);
  const first = idOf(await ask({ input: 'one', session_id: 'a/b c' }));
  const call = { index: 0, id: 'call_1', function: { name: 'service_datetime', arguments: '{}' } };
  const calling = [chatChunk({ tool_calls: [call] }), chatChunk({}, 'tool_calls'), 'data: [DONE]\n\n'];
  upstream.play({ steps: calling }, { steps: chatStream('Late.') });
  const second = idOf(
    await ask({ input: 'two', session_id: 'a/b c', tools: [{ type: 'service:datetime' }] }),
  );
  await ask({ input: 'three', session_id: 'another' });
  const path = `/sessions/${encodeURIComponent('a/b c')}`;
  const { body, status, text } = await manage('GET', path);
  assert.equal(status, 200, text);
  const { data } = body;
  assert.deepEqual(
    data.requests.map(({ id, calls }: { id: string; calls: readonly unknown[] }) => [id, calls.length]),
    [
      [first, 1],
      [second, 2],
    ],
  );
  assert.deepEqual([data.id, data.calls, data.failed, body.complete], ['a/b c', 3, 0, true]);
  assert.equal(data.requests[1].calls[0].session_id, 'a/b c');
  assert.ok(data.requests[1].calls[0].settled_at <= data.requests[1].calls[1].settled_at);
  const stranger = await gateway.createKey();
  const theirs = await callApi(gateway, stranger, 'GET', path);
  assert.deepEqual(theirs.body.data.requests, []);
  const [row] = (await manage('GET', `/generations?session=${encodeURIComponent('a/b c')}`)).body.data;
  assert.equal(row.session_id, 'a/b c');
});
