import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { parseUsd } from '../../src/core/money.ts';
import { signingAlgorithms, type WorkloadIssuer, type WorkloadPolicy } from '../../src/core/workloads.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
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
    // A key of its own each time: one has sixty calls a minute.
    const key = await gateway.createKey({ kind: 'management', workspaceId: null });
    const { body } = await callApi(gateway, key, 'GET', `/generations?key=${made[0].hash}`);
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
  assert.equal(
    (await callApi(gateway, boss, 'PATCH', path, { disabled: false, name: 'Renamed' })).status,
    200,
  );
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

test('a change of the file holds from the next request of a subject on, and a removed policy lets nobody in', async (t) => {
  const own = await start([policyOf()]);
  t.after(() => own.stop());
  const token = await worker('reloaded');
  assert.equal((await ask(token, own)).status, 200);
  const workloads = (policies: readonly WorkloadPolicy[]) => ({
    ...configOf({ models: [modelOf('sandbox/echo', [sandbox])] }),
    auth: { workloads: policies.length === 0 ? [] : [issuerOf(issuer.url, policies)] },
  });
  const limited = {
    ...noLimits,
    limit: parseUsd('5'),
    limitReset: 'daily',
    allowedModels: ['acme/*'],
  } as const;
  own.server.replaceConfig(workloads([policyOf({ actsAs: { kind: 'inference', settings: limited } })]));
  const refused = await ask(token, own);
  assert.equal(refused.status, 403, refused.text);
  const { data } = (await callApi(own, token, 'GET', '/key')).body;
  assert.deepEqual([data.limit, data.limit_reset], [5, 'daily']);
  own.server.replaceConfig(workloads([policyOf()]));
  assert.equal((await ask(token, own)).status, 200);
  own.server.replaceConfig(workloads([policyOf({ id: 'renamed', conditions: { sub: ['nobody'] } })]));
  assert.equal((await ask(token, own)).status, 403);
  own.server.replaceConfig(workloads([]));
  assert.equal((await ask(token, own)).status, 401);
});

test('known tokens cost no fetch and no statement besides the charges', async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => worker(`known-${n}`)));
  for (const token of tokens) assert.equal((await ask(token)).status, 200);
  const fetches = issuer.fetches();
  const { keys } = gateway.storage;
  let asked = 0;
  const counted = { findDerived: keys.findDerived, derive: keys.derive, update: keys.update };
  for (const name of ['findDerived', 'derive', 'update'] as const) {
    Object.assign(keys, {
      [name]: (...args: never[]) => {
        asked += 1;
        return (counted[name] as (...all: never[]) => unknown).apply(keys, args);
      },
    });
  }
  try {
    for (let round = 0; round < 10; round += 1) await Promise.all(tokens.map((token) => ask(token)));
  } finally {
    Object.assign(keys, counted);
  }
  assert.deepEqual([asked, issuer.fetches()], [0, fetches]);
});

test('a token of another issuer, an ended one and a forged one are 401, and only the end is told', async () => {
  const of = async (claims: object) => {
    const answer = await ask(await worker('failing', claims));
    return [answer.status, answer.body.error.metadata?.reason, answer.body.error.message] as const;
  };
  const now = Math.floor(Date.now() / 1000);
  const [expired, other, audience] = [
    await of({ exp: now - 100 }),
    await of({ iss: 'https://other.example' }),
    await of({ aud: 'other' }),
  ];
  assert.deepEqual([expired[0], expired[1]], [401, 'token_expired']);
  assert.deepEqual([other[0], audience[0], other[1], audience[1]], [401, 401, undefined, undefined]);
  assert.equal(other[2], audience[2]);
  const lines = gateway.log.filter((line) => line.includes('a token was not accepted'));
  assert.ok(lines.some((line) => line.includes('jwt_audience')));
  assert.ok(
    lines.every((line) => !line.includes('eyJ')),
    'a token is in the log',
  );
});

test('without issuers a token is a key that is too long or unknown, and nothing is loaded', async (t) => {
  const plain = await startGateway({ models: [modelOf('sandbox/echo', [sandbox])] });
  t.after(() => plain.stop());
  const answer = await ask(await worker('nobody'), plain);
  assert.equal(answer.status, 401);
  assert.match(answer.body.error.message, /API key is not accepted/);
});

test('of two headers the one that is accepted counts', async () => {
  const good = await worker('two-headers');
  const call = async (authorization: string, named: string) => {
    const answer = await fetch(`${gateway.url}/api/v1/key`, {
      headers: { authorization: `Bearer ${authorization}`, 'x-api-key': named },
    });
    return [answer.status, ((await answer.json()) as { data?: { label: string } }).data?.label] as const;
  };
  const label = 'batch: system:serviceaccount:ml:two-headers';
  assert.deepEqual(await call(good, 'sk-of-another-service'), [200, label]);
  assert.deepEqual(await call('sk-of-another-service', good), [200, label]);
  const foreign = await issuer.sign({ iss: 'https://other.example', sub: 'x' });
  assert.equal((await call(foreign, gateway.key))[0], 200);
  assert.equal((await call(foreign, 'sk-of-another-service'))[0], 401);
});

test('a policy whose workspace is not there is 403 for the program and a line for the operator', async (t) => {
  const own = await start([policyOf({ workspace: 'nowhere' })]);
  t.after(() => own.stop());
  const answer = await ask(await worker('lost'), own);
  assert.deepEqual([answer.status, answer.body.error.metadata.reason], [403, 'policy_unusable']);
  assert.ok(own.log.some((line) => line.includes('no workspace') && line.includes('batch')));
});

test('a shared key serves all subjects of its policy; a management key does not', async (t) => {
  const shared = hashKey(gateway.key);
  const own = await startGateway({
    models: [modelOf('sandbox/echo', [sandbox])],
    config: { auth: { workloads: [] } },
  });
  t.after(() => own.stop());
  const management = hashKey(await own.createKey({ kind: 'management', workspaceId: null }));
  const use = (hash: string) =>
    own.server.replaceConfig({
      ...configOf({ models: [modelOf('sandbox/echo', [sandbox])] }),
      auth: { workloads: [issuerOf(issuer.url, [policyOf({ actsAs: { kind: 'key', hash } })])] },
    });
  use(own.keyHash);
  const labels = new Set<string>();
  for (const name of ['one', 'two']) {
    const { body } = await callApi(own, await worker(name), 'GET', '/key');
    labels.add(body.data.label);
  }
  assert.equal(labels.size, 1);
  use(management);
  assert.equal((await ask(await worker('one'), own)).status, 403);
  use(shared);
  assert.equal((await ask(await worker('one'), own)).status, 401);
});

test('a policy that acts as something else from now on gives no subject what its key did before', async (t) => {
  const own = await start([policyOf({ actsAs: { kind: 'management', role: 'admin' } })]);
  t.after(() => own.stop());
  const token = await worker('turned');
  assert.equal((await callApi(own, token, 'GET', '/keys')).status, 200);
  const use = (change: Partial<WorkloadPolicy>) =>
    own.server.replaceConfig({
      ...configOf({ models: [modelOf('sandbox/echo', [sandbox])] }),
      auth: { workloads: [issuerOf(issuer.url, [policyOf(change)])] },
    });
  use({});
  for (const path of ['/keys', '/key']) {
    const refused = await callApi(own, token, 'GET', path);
    assert.deepEqual([refused.status, refused.body.error.metadata.reason], [403, 'policy_unusable'], path);
  }
  assert.ok(own.log.some((line) => line.includes('give the policy another id')));
  use({ id: 'another' });
  assert.deepEqual(
    [(await ask(token, own)).status, (await callApi(own, token, 'GET', '/keys')).status],
    [200, 403],
  );
});
