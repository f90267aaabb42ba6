import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runIn } from '../../../test/support/command-line.ts';
import { idOf, startKeeping } from '../../../test/support/keeping-gateway.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

test('a kept call is printed as a request, which is answered again; nothing is sent by itself', async (t) => {
  const { gateway, upstream, ask, kept } = await startKeeping(t);
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }];
  const input = [
    { type: 'message', role: 'user', content: 'Weather?' },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
    { type: 'message', role: 'user', content: 'And tomorrow?' },
  ];
  const asked = { instructions: 'Be terse.', tools, input };
  const id = idOf(await ask(asked));
  await kept(id);
  const before = upstream.requests.length;
  const openStorage = () => Promise.reject(new Error('no database is needed'));
  const env = { HEADGATE_API_KEY: boss, HEADGATE_URL: gateway.url };
  const replay = (...argv: string[]) => runIn(temporaryFolder(), ['replay', ...argv], { env, openStorage });
  const { code, out, err } = await replay(id);
  assert.deepEqual([code, err, upstream.requests.length], [0, '', before]);
  const body = JSON.parse(out);
  assert.deepEqual(body, { model: 'acme/atlas-4', ...asked });
  assert.equal((await ask(body)).status, 200);
  const [first, second] = [before - 1, before].map((at) => upstream.requests[at]?.body);
  assert.deepEqual(second, first, 'the provider is asked the same');
  const other = await replay(id, '--model', 'acme/other');
  assert.equal(JSON.parse(other.out).model, 'acme/other');

  const none = await replay('gen-none');
  assert.deepEqual([none.code, none.out], [1, '']);
  const silent = idOf(await ask({ input: 'Hi', provider: { zdr: true } }));
  const refused = await replay(silent);
  assert.match(refused.err, /Nothing is kept of what was said/);
});
