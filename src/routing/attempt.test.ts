import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { targetOf } from '../../test/support/route-plan.ts';
import { fails, good, model, outcomes, targetsOf, usage, walk } from '../../test/support/walk-plan.ts';
import { type ErrorCode, HeadgateError } from '../core/errors.ts';
import { roomOf } from '../ports/answer-room.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import { Secret } from '../util/secret.ts';
import type { AttemptContext } from './attempt.ts';
import type { RoutePlan } from './route-plan.ts';

test('the kind of a failure decides what it rules out, model by model', async () => {
  const atlas = model('acme/atlas', { a1: {}, a2: {} });
  const ibis = model('globex/ibis', { b1: {}, b2: {} });
  const [a1, a2, b1, b2] = targetsOf(atlas, ibis);
  assert.ok(a1 && a2 && b1 && b2);
  const interleaved = [a1, b1, a2, b2];
  const asked = async (first: ErrorCode) => {
    const scripts = { a1: fails(first), b1: fails('provider_failed'), a2: good, b2: good };
    return (await walk(interleaved, scripts)).asked;
  };
  for (const code of ['provider_failed', 'provider_timeout', 'provider_overloaded'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'a2'], code);
  for (const code of ['upstream_rate_limit', 'upstream_credential', 'upstream_region'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'a2'], code);
  for (const code of ['upstream_not_found', 'upstream_too_large'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'a2'], code);
  for (const code of ['upstream_invalid_request', 'upstream_unprocessable'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'b2'], code);
  for (const code of ['upstream_policy', 'upstream_flagged'] as const)
    assert.deepEqual(await asked(code), ['a1', 'b1', 'b2'], code);
  assert.deepEqual(await asked('server'), ['a1'], 'a failure of our own ends it');
});

test('a prompt that is too long goes to larger endpoints, then to the next model', async () => {
  const atlas = model('acme/atlas', {
    middle: { contextLength: 8000 },
    small: { contextLength: 4000 },
    same: { contextLength: 8000 },
    large: { contextLength: 32_000 },
    unstated: {},
  });
  const ibis = model('globex/ibis', { other: {} });
  const long = fails('upstream_context_length');
  const scripts = { middle: long, small: good, same: good, large: long, unstated: long, other: good };
  const { asked, statuses } = await walk(targetsOf(atlas, ibis), scripts);
  assert.deepEqual(asked, ['middle', 'large', 'unstated', 'other']);
  assert.deepEqual(statuses, ['middle 400', 'large 400', 'unstated 400', 'other 200']);
});

test('what was asked counts as an attempt, not what a failure ruled out', async () => {
  const many = (slug: string) =>
    Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`${slug}${at}`, {}]));
  const targets = targetsOf(model('acme/atlas', many('a')), model('globex/ibis', many('b')));
  const scripts = { a0: fails('upstream_invalid_request'), b0: fails('provider_failed'), b1: good };
  const { asked, answeredBy } = await walk(targets, scripts, { maxAttempts: 3 });
  assert.deepEqual([asked, answeredBy], [['a0', 'b0', 'b1'], 'b1']);
  const short = await walk(targets, scripts, { maxAttempts: 2 });
  assert.deepEqual([short.asked, short.error?.status], [['a0', 'b0'], 502]);
});

test('what a moderated endpoint flags goes to one that is not, what a model refuses to another model', async () => {
  const atlas = model('acme/atlas', {
    strict: { isModerated: true },
    strict2: { isModerated: true },
    free: {},
    free2: {},
  });
  const ibis = model('globex/ibis', { other: {} });
  const all = { strict2: good, free2: good, other: good };
  const flagged = await walk(targetsOf(atlas, ibis), {
    ...all,
    strict: fails('upstream_flagged'),
    free: good,
  });
  assert.deepEqual(flagged.asked, ['strict', 'free']);
  const refused = await walk(targetsOf(atlas, ibis), {
    ...all,
    strict: fails('upstream_policy'),
    free: fails('upstream_policy'),
  });
  assert.deepEqual(refused.asked, ['strict', 'free', 'other']);
});

test('an own credential is named when it fails, and marks nothing but itself', async () => {
  const atlas = model('acme/atlas', { north: {} });
  const [endpoint] = atlas.endpoints;
  assert.ok(endpoint);
  const first = testCredential({ label: 'sk-...aaaa' });
  const second = testCredential({ label: 'sk-...bbbb' });
  const targets = [first, second].map((credential) => targetOf(atlas, endpoint, credential));
  const secrets = {
    open: async ({ label }: Pick<ProviderCredential, 'label'>) => new Secret(`key ${label}`),
  };
  const dead = { north: fails('upstream_credential') };
  const { error, statistics, upstream, attempts } = await walk(targets, dead, { secrets });
  assert.equal(error?.status, 502, 'all credentials at fault is nothing a retry mends');
  assert.equal(error?.metadata.availability, undefined);
  assert.equal(error?.metadata.credential_label, 'sk-...bbbb');
  assert.match(error?.message ?? '', /sk-\.\.\.bbbb/);
  assert.equal(error?.metadata.provider_name, 'north');
  assert.deepEqual(error?.metadata.previous_errors, [
    { provider: 'north', code: 'provider_unavailable', status: 502 },
  ]);
  assert.deepEqual(
    upstream.calls.map((call) => call.endpoint.provider.apiKey?.reveal()),
    ['key sk-...aaaa', 'key sk-...bbbb'],
  );
  assert.ok(attempts.every(({ isByok }) => isByok === true));
  assert.deepEqual(outcomes(statistics, endpoint), {});
  assert.deepEqual(outcomes(statistics, endpoint, first.id), { credential: 1 });
});

test('an own credential falls back to the shared one, without what the operator adds to its calls', async () => {
  const atlas = model('acme/atlas', {});
  const provider = providerOf({ slug: 'north', adapter: 'scripted', headers: { 'x-team': 'operator' } });
  const [endpoint] = modelOf('acme/atlas', [provider]).endpoints;
  assert.ok(endpoint);
  const secret = new Secret('own');
  const open = async () => secret;
  const targets = [targetOf(atlas, endpoint, testCredential()), targetOf(atlas, endpoint)];
  const once = await walk(targets, { north: good }, { secrets: { open } });
  const [own] = once.upstream.calls;
  assert.deepEqual(own?.endpoint.provider.headers, {});
  const again = await walk(targets, { north: good }, { secrets: { open } });
  assert.equal(again.upstream.calls[0]?.endpoint, own?.endpoint, 'adapters remember things of providers');
  const lost = { open: async () => Promise.reject(new HeadgateError('upstream_credential', 'Gone.')) };
  const shared = await walk(targets, { north: good }, { secrets: lost });
  assert.deepEqual(shared.statuses, ['north 502', 'north 200']);
  assert.equal(shared.upstream.calls[0]?.endpoint, endpoint);
});

test('an endpoint that says much of which nothing can be shown is left, and closed', async () => {
  const atlas = model('acme/atlas', { silent: {}, good: {} });
  const batches = Array.from({ length: 200 }, () => [usage, usage]);
  const { asked, said, statuses } = await walk(
    targetsOf(atlas),
    { silent: batches, good },
    { room: roomOf(100_000) },
  );
  assert.deepEqual(
    [asked, statuses],
    [
      ['silent', 'good'],
      ['silent 502', 'good 200'],
    ],
  );
  assert.equal(said.filter(({ kind }) => kind === 'usage').length, 1);
});

test('an attempt that failed names its row of the error table; one the client left has no failure', async () => {
  const atlas = model('acme/atlas', { a: {}, b: {} });
  const failed = await walk(targetsOf(atlas), { a: fails('provider_overloaded'), b: good });
  assert.deepEqual(
    failed.attempts.map(({ status, failure }) => [status, failure]),
    [
      [529, { row: 'provider_overloaded' }],
      [200, undefined],
    ],
  );
  const leaving = new AbortController();
  const left = await walk(
    targetsOf(atlas),
    { a: ['hang'], b: good },
    {
      signal: leaving.signal,
      onTry: () => setImmediate(() => leaving.abort()),
    },
  );
  assert.deepEqual(
    left.attempts.map(({ tag, status, failure }) => [tag, status, failure]),
    [['a', 499, undefined]],
  );
  assert.deepEqual(left.asked, ['a']);
});

test('each endpoint that cannot read sealed reasoning is asked once more without it, unless strictness forbids', async () => {
  const atlas = model('acme/atlas', { a: {}, b: {} });
  const sealed = { a: fails('upstream_seal'), b: fails('upstream_seal') };
  const used = new Map([['item.reasoning.sealed' as const, 'input[0]']]);
  const asked = async (change: Partial<AttemptContext>, plan: Partial<RoutePlan>) =>
    (await walk(targetsOf(atlas), sealed, { maxAttempts: 9, ...change }, plan)).asked;
  assert.deepEqual(await asked({}, { used }), ['a', 'a', 'b', 'b']);
  assert.deepEqual(await asked({ strict: true }, { used }), ['a', 'b']);
  assert.deepEqual(await asked({}, {}), ['a', 'b'], 'nothing was sealed');
});
