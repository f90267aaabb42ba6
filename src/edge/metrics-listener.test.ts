import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenForMetrics } from './metrics-listener.ts';

const host = '127.0.0.1';

test('it serves metrics to who reads them, and nothing else', async (t) => {
  let failing = false;
  const listener = await listenForMetrics({ host, port: 0 }, async () => {
    if (failing) throw new Error('a secret');
    return 'up 1\n';
  });
  t.after(() => listener.close());
  const ask = (path: string, method = 'GET') => fetch(`http://${host}:${listener.port}${path}`, { method });
  const answer = await ask('/metrics?x=1');
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), 'up 1\n');
  assert.equal((await ask('/metrics', 'POST')).status, 404);
  assert.equal((await ask('/')).status, 404);
  failing = true;
  const failed = await ask('/metrics');
  assert.equal(failed.status, 500);
  assert.equal(await failed.text(), '');
});

test('a port that is taken is named with the key that chooses another', async (t) => {
  const first = await listenForMetrics({ host, port: 0 }, async () => '');
  t.after(() => first.close());
  await assert.rejects(
    listenForMetrics({ host, port: first.port }, async () => ''),
    (error) => error instanceof Error && error.message.includes(`${host}:${first.port}`),
  );
});
