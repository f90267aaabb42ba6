import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { buildDashboard } from '../../scripts/dashboard-build.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';

const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
const models = [modelOf('sandbox/echo', [sandbox])];
let gateway: TestGateway;
let boss: string;

before(async () => {
  await buildDashboard();
  gateway = await startGateway({ models });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

/** A call as a proxy passes it on: under the name that browsers know. */
function ask(path: string, headers: Record<string, string>, body?: unknown) {
  return new Promise<{ status: number; cookie: string; text: string }>((resolve, reject) => {
    const { port } = new URL(gateway.url);
    const method = body === undefined ? 'GET' : 'POST';
    const type = { 'content-type': 'application/json' };
    const sent = httpRequest(
      { host: '127.0.0.1', port, path, method, headers: { ...type, ...headers } },
      (answer) => {
        let text = '';
        answer.on('data', (bytes) => (text += bytes));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.[0] ?? '', text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const logIn = (headers: Record<string, string>) => ask('/ui/session', headers, { key: boss });

test('the address decides the origin, the form of the cookie and the base, whatever the proxy says', async () => {
  gateway.setServer({ publicUrl: 'https://gate.example/gateway' });
  const own = { host: 'gate.example', origin: 'https://gate.example' };
  const { status, cookie } = await logIn(own);
  assert.equal(status, 200);
  assert.match(cookie, /^__Host-headgate=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  // Also where the proxy asks under a name of its own.
  assert.equal((await logIn({ host: '127.0.0.1:8484', origin: 'https://gate.example' })).status, 200);
  for (const headers of [
    { host: 'gate.example', origin: 'http://gate.example' },
    { host: 'gate.example', origin: 'https://evil.example' },
    { host: 'evil.example', origin: 'https://evil.example' },
    { ...own, 'sec-fetch-site': 'same-site' },
  ]) {
    assert.equal((await logIn(headers)).status, 403, JSON.stringify(headers));
  }
  const { text } = await logIn({ host: '127.0.0.1', origin: 'http://127.0.0.1' });
  assert.match(text, /open it at https:\/\/gate\.example\/gateway \(server\.public_url\)/);
  const base = async (headers: Record<string, string>) =>
    /<base href="([^"]*)"/.exec((await ask('/ui/keys', headers)).text)?.[1];
  assert.equal(await base(own), '/gateway/ui/');
  gateway.setServer({ publicUrl: 'https://gate.example/gateway', trustProxy: true });
  assert.equal(await base({ ...own, 'x-forwarded-prefix': '/other' }), '/gateway/ui/');
  gateway.setServer({ publicUrl: 'https://gate.example' });
  assert.equal(await base(own), '/ui/');
  gateway.setServer({});
});

test('a public address without encryption takes no key, unless that is allowed', async () => {
  const own = { host: 'gate.lan:8080', origin: 'http://gate.lan:8080' };
  gateway.setServer({ publicUrl: 'http://gate.lan:8080' });
  const refused = await logIn(own);
  assert.equal(refused.status, 403);
  assert.match(refused.text, /unencrypted/);
  const dashboard = { ...configOf({ models }).server.dashboard, allowInsecureHttp: true };
  gateway.setServer({ publicUrl: 'http://gate.lan:8080', dashboard });
  const { status, cookie, text } = await logIn(own);
  assert.equal(status, 200);
  assert.match(cookie, /^headgate-8080=/);
  assert.equal(JSON.parse(text).data.features.insecure, true);
  gateway.setServer({});
});
