import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import type { WorkloadIssuer } from '../../src/core/workloads.ts';
import { IssuerKeys } from '../../src/identity/issuer-keys.ts';
import { TokenFault } from '../../src/identity/token-fault.ts';
import { looksLikeToken, verifyToken } from '../../src/identity/verify-token.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts';

let issuer: TokenIssuer;
let rules: WorkloadIssuer;
let now: number;
let keys: IssuerKeys;
const failures: string[] = [];

before(async () => {
  issuer = await startIssuer();
});
after(() => issuer.stop());

beforeEach(() => {
  now = Date.now();
  failures.length = 0;
  issuer.setAway(false);
  rules = {
    id: 'corp',
    issuer: issuer.url,
    keys: { issuer: issuer.url },
    audiences: ['headgate'],
    algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'],
    leeway: 30_000,
    maxLifetime: 86_400_000,
    staleKeys: 3_600_000,
    policies: [],
  };
  keys = new IssuerKeys(
    rules.keys,
    rules.staleKeys,
    () => now,
    (why) => failures.push(why),
  );
});

const verify = (token: string, change: Partial<WorkloadIssuer> = {}) =>
  verifyToken(token, { ...rules, ...change }, keys, now);

async function faultOf(token: string, change: Partial<WorkloadIssuer> = {}): Promise<string> {
  try {
    await verify(token, change);
  } catch (error) {
    if (error instanceof TokenFault) return error.reason;
    throw error;
  }
  return 'taken';
}

const seconds = () => Math.floor(now / 1000);
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a good token is taken, of each type that tokens may have', async () => {
  for (const typ of [undefined, 'JWT', 'at+jwt', 'application/at+jwt']) {
    const header = typ === undefined ? {} : { typ };
    assert.equal((await verify(await issuer.sign({ sub: 'one' }, { header }))).sub, 'one');
  }
  assert.equal(
    await faultOf(await issuer.sign({ sub: 'one' }, { header: { typ: 'logout+jwt' } })),
    'jwt_type',
  );
});

test('no algorithm, a shared secret and keys that the token brings are refused without any fetch', async () => {
  const claims = { iss: issuer.url, aud: 'headgate', iat: seconds(), exp: seconds() + 60, sub: 'x' };
  const unsigned = `${base64({ alg: 'none' })}.${base64(claims)}.`;
  assert.equal(looksLikeToken(unsigned), true);
  assert.equal(await faultOf(unsigned), 'jwt_algorithm');
  const { keys: published } = await keys.current();
  const before = issuer.fetches();
  // The public key as the secret of HMAC: what confuses a verifier that goes by the header.
  const body = `${base64({ alg: 'HS256', kid: 'key-1' })}.${base64(claims)}`;
  const mac = createHmac('sha256', JSON.stringify(published[0])).update(body).digest('base64url');
  assert.equal(await faultOf(`${body}.${mac}`), 'jwt_algorithm');
  const own = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(own.publicKey);
  for (const header of [
    { jwk },
    { jku: `${issuer.url}/evil` },
    { x5u: `${issuer.url}/evil` },
    { x5c: ['AAAA'] },
  ]) {
    const forged = await issuer.sign(
      { sub: 'x' },
      { key: own.privateKey, header: { ...header, kid: 'key-1' } },
    );
    assert.equal(await faultOf(forged), 'jwt_signature');
  }
  const critical = `${base64({ alg: 'ES256', kid: 'key-1', crit: ['exp'] })}.${base64(claims)}.AAAA`;
  assert.equal(await faultOf(critical), 'jwt_malformed');
  assert.equal(issuer.fetches(), before);
});

test('issuer, audience, times and lifetime are each refused when they are wrong', async () => {
  const fault = async (claims: object) => faultOf(await issuer.sign({ sub: 'x', ...claims }));
  assert.equal(await fault({ iss: 'https://other.example' }), 'jwt_issuer');
  assert.equal(await fault({ iss: `${issuer.url}/` }), 'jwt_issuer');
  assert.equal(await fault({ aud: 'other' }), 'jwt_audience');
  assert.equal(await fault({ aud: ['other', 'Headgate'] }), 'jwt_audience');
  assert.equal(await fault({ aud: ['other', 'headgate'] }), 'taken');
  assert.equal(await fault({ exp: undefined }), 'jwt_malformed');
  assert.equal(await fault({ exp: seconds() - 29 }), 'taken');
  assert.equal(await fault({ exp: seconds() - 31 }), 'token_expired');
  assert.equal(await fault({ nbf: seconds() + 29 }), 'taken');
  assert.equal(await fault({ nbf: seconds() + 60 }), 'jwt_not_yet_valid');
  assert.equal(await fault({ iat: seconds() + 600, exp: seconds() + 700 }), 'jwt_not_yet_valid');
  assert.equal(await fault({ exp: seconds() + 86_500 }), 'jwt_too_long_lived');
  assert.equal(await fault({ iat: undefined, exp: seconds() + 86_500 }), 'jwt_too_long_lived');
  assert.equal(await faultOf('eyJhbGciOiJFUzI1NiJ9.bm90IGpzb24.AAAA'), 'jwt_malformed');
});

test('a changed claim, another signature and a cut token are refused', async () => {
  const token = await issuer.sign({ sub: 'x' });
  const [header = '', , signature = ''] = token.split('.');
  const claims = { iss: issuer.url, aud: 'headgate', iat: seconds(), exp: seconds() + 60, sub: 'admin' };
  assert.equal(await faultOf(`${header}.${base64(claims)}.${signature}`), 'jwt_signature');
  assert.equal(await faultOf(token.slice(0, -4)), 'jwt_signature');
  const other = await generateKeyPair('ES256');
  assert.equal(await faultOf(await issuer.sign({ sub: 'x' }, { key: other.privateKey })), 'jwt_signature');
  assert.equal(await faultOf(token, { algorithms: ['RS256'] }), 'jwt_algorithm');
});

test('a thousand unknown kids make one fetch in thirty seconds, and a new key is found', async () => {
  const first = await issuer.sign({ sub: 'x' });
  await verify(first);
  const before = issuer.fetches();
  now += 31_000;
  for (let n = 0; n < 1_000; n += 1) {
    const forged = await issuer.sign({ sub: 'x' }, { header: { kid: `made-up-${n}` } });
    assert.equal(await faultOf(forged), 'jwt_signature');
  }
  assert.equal(issuer.fetches() - before, 1);
  await issuer.rotate();
  now += 31_000;
  const fresh = await issuer.sign({ sub: 'rotated' });
  assert.equal((await verify(fresh)).sub, 'rotated');
  assert.equal(issuer.fetches() - before, 2);
});

test('200 first tokens of a new key at once are all taken by one fetch', async () => {
  await verify(await issuer.sign({ sub: 'x' }));
  const before = issuer.fetches();
  await issuer.rotate();
  now += 31_000;
  const tokens = await Promise.all(Array.from({ length: 200 }, (_, n) => issuer.sign({ sub: `u${n}` })));
  const taken = await Promise.all(tokens.map((token) => verify(token)));
  assert.equal(taken.length, 200);
  assert.equal(issuer.fetches() - before, 1);
});

test('while the issuer is away known keys serve for stale_keys, then nothing does, then it is back', async () => {
  const long = { exp: seconds() + 86_000 };
  const token = await issuer.sign({ sub: 'x', ...long });
  await verify(token);
  issuer.setAway(true);
  now += 30 * 60_000;
  assert.equal(await faultOf(token), 'taken');
  assert.deepEqual([failures.length, failures[0]?.includes('503')], [1, true]);
  assert.equal((keys.staleAge ?? 0) >= 30 * 60_000, true);
  now += 60 * 60_000;
  assert.equal(await faultOf(token), 'jwt_keys_too_old');
  issuer.setAway(false);
  now += 31_000;
  assert.equal(await faultOf(token), 'taken');
  assert.equal(keys.staleAge, undefined);
});

test('before keys were read once it is not known whether a token is good', async () => {
  issuer.setAway(true);
  await assert.rejects(verify(await issuer.sign({ sub: 'x' })), { name: 'KeysUnavailable' });
});

test('a discovery document of another issuer, an endless answer and a redirect give no keys', async (t) => {
  let answer: 'other' | 'endless' | 'redirect' | 'plain' = 'other';
  const server = createServer((_request, response) => {
    if (answer === 'redirect') return void response.writeHead(302, { location: `${issuer.url}/jwks` }).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    if (answer === 'other')
      return void response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: issuer.url }));
    const timer = setInterval(() => response.write(' '.repeat(64 * 1024)), 1);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [kind, said] of [
    ['other', /names another issuer/],
    ['endless', /more than 262144 bytes/],
    ['redirect', /answers 302/],
  ] as const) {
    answer = kind;
    const told: string[] = [];
    const bad = new IssuerKeys(
      { issuer: url },
      1_000,
      () => now,
      (why) => told.push(why),
    );
    await assert.rejects(bad.current());
    assert.match(told.join(), said);
  }
});

test('a file of keys is read again once it changes, and may hold no shared secret', async () => {
  const file = join(temporaryFolder(), 'jwks.json');
  const { keys: published } = await keys.current();
  writeFileSync(file, JSON.stringify({ keys: [] }));
  const filed = new IssuerKeys(
    { file },
    1_000,
    () => now,
    (why) => failures.push(why),
  );
  const token = await issuer.sign({ sub: 'x' });
  await assert.rejects(verifyToken(token, rules, filed, now), { reason: 'jwt_signature' });
  writeFileSync(file, JSON.stringify({ keys: [...published, { kty: 'oct', k: 'AAAA', kid: 'secret' }] }));
  now += 1_001;
  assert.equal((await verifyToken(token, rules, filed, now)).sub, 'x');
  assert.equal((await filed.current()).keys.length, published.length);
});
