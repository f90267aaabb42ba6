import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { importSPKI, jwtVerify } from 'jose';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { createServiceAccountKey, publicKey } from '../../../test/support/service-account-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import { Secret } from '../../util/secret.ts';
import { readServiceAccount } from './service-account.ts';
import { createTokenSource } from './token-source.ts';

const json = { 'content-type': 'application/json' };
const granted = (token: string, expires_in = 3600) => ({
  headers: json,
  steps: [JSON.stringify({ access_token: token, expires_in, token_type: 'Bearer' })],
});

function accountAt(url: string) {
  const { provider } = createCall({
    provider: {
      apiKey: new Secret(createServiceAccountKey({ token_uri: `${url}/token` })),
      quirks: { tokenOrigins: [url] },
    },
  }).endpoint;
  return { account: readServiceAccount(provider), provider };
}

test('a token is asked for with a signed assertion, kept, and renewed before its end', async () => {
  await using fake = await startFakeUpstream(granted('t1'), granted('t2'), granted('t3'));
  const { account, provider } = accountAt(fake.url);
  const began = Date.now();
  let now = began;
  const tokens = createTokenSource(() => now);
  assert.equal(await tokens.take(account, provider), 't1');
  assert.equal(tokens.take(account, provider), 't1', 'a kept token comes at once');
  now += 3_400_000;
  assert.equal(tokens.take(account, provider), 't1', 'near its end it still serves');
  while (tokens.take(account, provider) === 't1') await setImmediate();
  assert.equal(tokens.take(account, provider), 't2');
  now += 3_590_000;
  assert.equal(await tokens.take(account, provider), 't3', 'a token that is over is waited for');
  assert.equal(fake.requests.length, 3);

  const form = new URLSearchParams(String(fake.requests[0]?.body));
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  assert.equal(fake.requests[0]?.headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8');
  const verified = await jwtVerify(form.get('assertion') ?? '', await importSPKI(publicKey, 'RS256'), {
    issuer: 'gateway@tides-123.iam.gserviceaccount.com',
    audience: `${fake.url}/token`,
  });
  assert.equal(verified.payload.scope, 'https://www.googleapis.com/auth/cloud-platform');
  assert.equal(verified.payload.exp, Math.floor(began / 1000) + 3600);
  assert.deepEqual(verified.protectedHeader, { alg: 'RS256', typ: 'JWT', kid: 'kid-1' });
});

test('requests that come together share one fetch, each account has its own', async () => {
  await using fake = await startFakeUpstream({ ...granted('t1'), delay: 20 }, granted('t2'));
  const tokens = createTokenSource();
  const { account, provider } = accountAt(fake.url);
  const taken = await Promise.all([1, 2, 3].map(() => tokens.take(account, provider)));
  assert.deepEqual(taken, ['t1', 't1', 't1']);
  assert.equal(fake.requests.length, 1);
  const other = { ...account, clientEmail: 'other@tides-123.iam.gserviceaccount.com' };
  assert.equal(await tokens.take(other, provider), 't2');
});

test('a refused account and a failing service are distinguished, and neither is cached', async () => {
  const refusal = {
    status: 400,
    headers: json,
    steps: ['{"error":"invalid_grant","error_description":"no"}'],
  };
  const cases = [
    [refusal, 'upstream_credential'],
    [{ status: 503, headers: json, steps: ['{}'] }, 'provider_failed'],
    [{ status: 429, headers: json, steps: ['{}'] }, 'provider_failed'],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' }, steps: [] }, 'provider_failed'],
    [{ headers: json, steps: ['<html>'] }, 'provider_failed'],
    [{ steps: ['x'], ending: 'cut' as const }, 'provider_failed'],
  ] as const;
  for (const [script, code] of cases) {
    await using fake = await startFakeUpstream(script, granted('t1'));
    const { account, provider } = accountAt(fake.url);
    const tokens = createTokenSource();
    await assert.rejects(
      async () => await tokens.take(account, provider),
      (thrown) => thrown instanceof HeadgateError && thrown.code === code && !thrown.message.includes('no"'),
      JSON.stringify(script),
    );
    assert.equal(await tokens.take(account, provider), 't1');
  }
});

test('a renewal that fails leaves the kept token in use', async () => {
  await using fake = await startFakeUpstream(granted('t1'), { status: 500, headers: json, steps: [] });
  const { account, provider } = accountAt(fake.url);
  let now = Date.now();
  const tokens = createTokenSource(() => now);
  assert.equal(await tokens.take(account, provider), 't1');
  now += 3_400_000;
  assert.equal(tokens.take(account, provider), 't1');
  while (fake.requests.length < 2) await setImmediate();
  assert.equal(tokens.take(account, provider), 't1');
});

test('an invalid private key is an unusable credential', async () => {
  await using fake = await startFakeUpstream(granted('t1'));
  const { account, provider } = accountAt(fake.url);
  await assert.rejects(
    async () => await createTokenSource().take({ ...account, privateKey: 'nonsense' }, provider),
    (thrown) => thrown instanceof HeadgateError && thrown.code === 'upstream_credential',
  );
  assert.equal(fake.requests.length, 0);
});
