import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';

test('alerts test posts an alert, and says what the receiver answered instead of taking it', async (t) => {
  const posted: string[] = [];
  const statuses = [204, 302];
  const server = createServer(async (request, response) => {
    posted.push(await text(request));
    response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { run, json } = await workplace(`alerts: { webhook: "http://127.0.0.1:${port}/" }\n`);
  const sent = await json('alerts', 'test');
  assert.equal(sent.delivered, true);
  assert.equal(JSON.parse(posted[0] ?? '').type, 'test');
  assert.deepEqual(await run('alerts', 'test'), {
    code: 1,
    out: '',
    err: 'error: the alert was not delivered: status 302\n',
  });
  assert.equal(posted.length, 2, 'a redirect is not followed');
  const without = await workplace('');
  assert.equal(
    (await without.run('alerts', 'test')).err,
    'error: alerts.webhook is not set; set it to an address\n',
  );
});
