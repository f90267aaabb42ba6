import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { WorkloadIssuer, WorkloadPolicy } from '../../src/core/workloads.ts';
import { signingAlgorithms } from '../../src/core/workloads.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts';

const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });

let issuer: TokenIssuer;
let gateway: TestGateway;
let boss: string;

const noLimits = {
  limit: null,
  limitReset: null,
  includeByokInLimit: false,
  allowedModels: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  parallel: null,
} as const;

const policyOf = (change: Partial<WorkloadPolicy> = {}): WorkloadPolicy => ({
  id: 'batch',
  conditions: { sub: ['system:serviceaccount:ml:*'] },
  subject: ['sub'],
  actsAs: { kind: 'inference', settings: noLimits },
  maxSubjects: 100,
  ...change,
});

const issuerOf = (url: string, policies: readonly WorkloadPolicy[]): WorkloadIssuer => ({
  id: 'cluster',
  issuer: url,
  keys: { issuer: url },
  audiences: ['headgate'],
  algorithms: signingAlgorithms,
  leeway: 30_000,
  maxLifetime: 86_400_000,
  staleKeys: 86_400_000,
  policies,
});

const start = (policies: readonly WorkloadPolicy[]) =>
  startGateway({
    models: [modelOf('sandbox/echo', [sandbox])],
    config: { auth: { workloads: [issuerOf(issuer.url, policies)] } },
  });

before(async () => {
  issuer = await startIssuer();
  gateway = await start([
    policyOf(),
    policyOf({
      id: 'deployers',
      conditions: { sub: ['system:serviceaccount:ops:deployer'] },
      actsAs: { kind: 'management', role: 'viewer' },
    }),
    policyOf({ id: 'few', conditions: { team: ['few'] }, maxSubjects: 1 }),
  ]);
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await gateway.stop();
  await issuer.stop();
});

const ask = (token: string, to = gateway) =>
  callApi(to, token, 'POST', '/responses', { model: 'sandbox/echo', input: 'hello' });

const worker = (name: string, more: object = {}) =>
  issuer.sign({ sub: `system:serviceaccount:ml:${name}`, ...more });

test('a token runs inference as a key of its subject, which is made once and charged as any other', async () => {
  const token = await worker('trainer');
  const [first, second] = [await ask(token), await ask(await worker('trainer', { jti: 'another' }))];
  assert.deepEqual([first.status, second.status], [200, 200], first.text);
  const { data } = (await callApi(gateway, boss, 'GET', '/keys')).body;
  const made = data.filter(({ name }: { name: string }) => name.includes('trainer'));
  assert.equal(made.length, 1);
  assert.equal(made[0].name, 'batch: system:serviceaccount:ml:trainer');
  const self = await callApi(gateway, token, 'GET', '/key');
  assert.deepEqual([self.status, self.body.data.is_management_key], [200, false]);
  const calls = await eventually('both calls', async () => {
    const { body } = await callApi(gateway, boss, 'GET', `/generations?key=${made[0].hash}`);
    return body.data.length === 2 ? body.data : undefined;
  });
  assert.equal(calls.length, 2);
  const audit = await callApi(gateway, boss, 'GET', '/audit?action=policy.subject');
  const entries = audit.body.data.filter((one: { object: { id: string } }) => one.object.id === made[0].hash);
  assert.deepEqual(
    entries.map((one: { actor: object }) => one.actor),
    [
      {
        type: 'workload',
        key_hash: made[0].hash,
        key_label: 'batch: system:serviceaccount:ml:trainer',
        user_id: null,
        address: null,
      },
    ],
  );
});

test('x-api-key takes a token as well', async () => {
  const answer = await fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { 'x-api-key': await worker('other-header'), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', input: 'hello' }),
  });
  assert.equal(answer.status, 200, await answer.text());
});

test('64 first requests at once make one key', async () => {
  const tokens = await Promise.all(Array.from({ length: 64 }, (_, n) => worker('burst', { jti: String(n) })));
  const answers = await Promise.all(tokens.map((token) => ask(token)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const { data } = (await callApi(gateway, boss, 'GET', '/keys')).body;
  assert.equal(data.filter(({ name }: { name: string }) => name.endsWith(':burst')).length, 1);
});

test('a management policy gives its role and nothing more', async () => {
  const token = await issuer.sign({ sub: 'system:serviceaccount:ops:deployer' });
  const keys = await callApi(gateway, token, 'GET', '/keys');
  assert.equal(keys.status, 200, keys.text);
  const refused = await callApi(gateway, token, 'POST', '/keys', { name: 'x' });
  assert.deepEqual([refused.status, refused.body.error.metadata.permission], [403, 'keys']);
  assert.equal((await callApi(gateway, token, 'GET', '/processes')).status, 403);
  assert.equal((await ask(token)).status, 403);
});

test('what the policy does not decide can be changed, what it decides cannot, and no secret is given', async () => {
  await ask(await worker('governed'));
  const { data } = (await callApi(gateway, boss, 'GET', '/keys')).body;
  const { hash } = data.find(({ name }: { name: string }) => name.endsWith(':governed'));
  const path = `/keys/${hash}`;
  const limited = await callApi(gateway, boss, 'PATCH', path, { limit: 5 });
  assert.deepEqual([limited.status, /policy decides/.test(limited.body.error.message)], [400, true]);
  assert.equal((await callApi(gateway, boss, 'POST', `${path}/rotate`, {})).status, 400);
  assert.equal((await callApi(gateway, boss, 'DELETE', path)).status, 400);
  assert.equal((await callApi(gateway, boss, 'PATCH', path, { disabled: true })).status, 200);
  assert.equal((await ask(await worker('governed'))).status, 401);
  assert.equal((await callApi(gateway, boss, 'PATCH', path, { disabled: false, name: 'Renamed' })).status, 200);
  assert.equal((await ask(await worker('governed'))).status, 200);
});

test('a token that no policy fits, or one subject too many, is 403 with the reason', async () => {
  const stranger = await ask(await issuer.sign({ sub: 'somebody' }));
  assert.deepEqual([stranger.status, stranger.body.error.metadata.reason], [403, 'no_policy']);
  assert.equal((await ask(await issuer.sign({ sub: 'one', team: 'few' }))).status, 200);
  const second = await ask(await issuer.sign({ sub: 'two', team: 'few' }));
  assert.deepEqual([second.status, second.body.error.metadata.reason], [403, 'too_many_subjects']);
  assert.equal((await ask(await issuer.sign({ sub: 'one', team: 'few' }))).status, 200);
});
