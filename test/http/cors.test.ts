import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const origin = 'https://app.example';
/** What every page may read unasked, or is of the connection. */
const always = [
  'cache-control',
  'content-length',
  'content-type',
  'connection',
  'keep-alive',
  'date',
  'vary',
];
let gateway: TestGateway;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  gateway = await startGateway({
    models: [modelOf('acme/echo', [sandbox])],
    server: { corsOrigins: [origin] },
  });
});

after(() => gateway.stop());

/** fetch does not let a program set Origin. */
function post(body: object, more: Record<string, string>): Promise<IncomingHttpHeaders> {
  const headers = { authorization: `Bearer ${gateway.key}`, origin, ...more };
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${gateway.url}/api/v1/responses`, { method: 'POST', headers });
    request.on('error', reject).on('response', async (response) => {
      await text(response);
      resolve(response.headers);
    });
    request.end(JSON.stringify(body));
  });
}

test('a page may read every header that tells it what to do next', async () => {
  const call = { model: 'acme/echo', input: 'Hello' };
  const filtered = await post({ ...call, provider: { only: ['nobody'] } }, {});
  assert.equal(filtered['x-should-retry'], 'false');
  await post(call, { 'idempotency-key': 'once' });
  const replayed = await post(call, { 'idempotency-key': 'once' });
  assert.equal(replayed['idempotent-replayed'], 'true');
  for (const headers of [filtered, replayed]) {
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    const hidden = Object.keys(headers).filter(
      (name) => !always.includes(name) && !name.startsWith('access-control-') && !exposed.includes(name),
    );
    assert.deepEqual(hidden, []);
  }
});
