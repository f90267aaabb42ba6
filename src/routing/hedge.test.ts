import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCredential } from '../../test/support/credentials.ts';
import { targetOf } from '../../test/support/route-plan.ts';
import { ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { fails, good, model, outcomes, targetsOf, walk } from '../../test/support/walk-plan.ts';
import { HeadgateError } from '../core/errors.ts';
import { Secret } from '../util/secret.ts';
import type { AttemptContext } from './attempt.ts';
import type { Target } from './route-plan.ts';

test('a slow endpoint is overtaken by the next: one answer, the other closed and not counted', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 5 }, quick: {}, third: {} });
  const [slow] = atlas.endpoints;
  assert.ok(slow);
  const admitted: string[] = [];
  const admit = ({ endpoint }: Target) => {
    admitted.push(endpoint.tag);
    return undefined;
  };
  const run = await walk(
    targetsOf(atlas),
    { slow: [[{ kind: 'start' }], 'hang'], quick: good, third: good },
    { admit },
  );
  assert.equal(run.answeredBy, 'quick');
  assert.deepEqual(run.said, good.flat());
  assert.deepEqual(run.statuses, ['slow 499', 'quick 200']);
  assert.deepEqual(run.tried, ['slow'], 'who leaves during the race owes for the first alone');
  assert.deepEqual(admitted, ['slow', 'quick', 'quick'], 'what is held is what the winner may cost');
  assert.deepEqual(run.upstream.closed.toSorted(), ['quick', 'slow']);
  assert.deepEqual(outcomes(run.statistics, slow), {});
  assert.equal(run.statistics.answers(slow)?.samples('latency', '5m'), 1, 'it took at least that long');
});

test('a hedge that fails leaves the first endpoint its time, and one that is not admitted is not asked', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 5 }, quick: {} });
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late = async (context: Partial<AttemptContext>) => {
    const scripted = new ScriptedUpstream({ quick: fails('provider_failed') });
    const stream = scripted.stream.bind(scripted);
    scripted.stream = async function* (call) {
      if (call.endpoint.tag === 'quick') return yield* stream(call);
      await waiting;
      yield* good.filter((step) => Array.isArray(step));
    };
    return walk(targetsOf(atlas), {}, { upstreams: new Map([['scripted', scripted]]), ...context });
  };
  const admitted: string[] = [];
  const failing = late({
    admit: ({ endpoint }) => {
      admitted.push(endpoint.tag);
      return undefined;
    },
  });
  const refusing = late({
    admit: ({ endpoint }) => (endpoint.tag === 'quick' ? new HeadgateError('payment_required') : undefined),
  });
  setTimeout(release, 50);
  assert.equal((await failing).answeredBy, 'slow');
  assert.deepEqual(admitted, ['slow', 'quick', 'slow'], 'what is held is what the one that answers may cost');
  const refused = await refusing;
  assert.deepEqual([refused.answeredBy, refused.statuses], ['slow', ['slow 200']]);
});

test('when the first endpoint fails during the race, the second is alone and then owed for', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 5 }, quick: {}, third: {} });
  const scripted = new ScriptedUpstream({ third: good });
  const stream = scripted.stream.bind(scripted);
  const fail = Promise.withResolvers<void>();
  scripted.stream = async function* (call) {
    const { tag } = call.endpoint;
    if (tag === 'third') return yield* stream(call);
    if (tag === 'slow') await fail.promise;
    else setTimeout(fail.resolve, 1);
    // The second fails only after the first has.
    if (tag === 'quick') await fail.promise.then(() => new Promise((resolve) => setTimeout(resolve, 20)));
    throw new HeadgateError('provider_failed');
  };
  const upstreams = new Map([['scripted', scripted]]);
  const { statuses, tried } = await walk(targetsOf(atlas), {}, { upstreams });
  assert.deepEqual(statuses, ['slow 502', 'quick 502', 'third 200']);
  assert.deepEqual(tried, ['slow', 'quick', 'third']);
});

test('a client that leaves during the race owes for the first endpoint alone', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 5 }, quick: {} });
  const abort = new AbortController();
  const reason = new HeadgateError('deadline_exceeded');
  const scripted = new ScriptedUpstream({ slow: ['hang'], quick: ['hang'] });
  const stream = scripted.stream.bind(scripted);
  scripted.stream = (call) => {
    if (call.endpoint.tag === 'quick') setImmediate(() => abort.abort(reason));
    return stream(call);
  };
  const upstreams = new Map([['scripted', scripted]]);
  const { tried } = await walk(targetsOf(atlas), {}, { upstreams, signal: abort.signal });
  assert.deepEqual(
    scripted.calls.map(({ endpoint }) => endpoint.tag),
    ['slow', 'quick'],
  );
  assert.deepEqual(tried, ['slow']);
});

/** Endpoints that answer well, each 30 ms after it is asked. */
function hesitant(): ScriptedUpstream {
  const scripted = new ScriptedUpstream({ slow: good, quick: good });
  const stream = scripted.stream.bind(scripted);
  scripted.stream = async function* (call) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    yield* stream(call);
  };
  return scripted;
}

test('unstreamed answers are not hurried: they are silent until they are whole', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 1 }, quick: {} });
  const { statuses } = await walk(
    targetsOf(atlas),
    {},
    { upstreams: new Map([['scripted', hesitant()]]), streamed: false },
  );
  assert.deepEqual(statuses, ['slow 200']);
});

test('without fallbacks endpoints are asked one by one, however slow the first is', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 1 }, quick: {} });
  const upstreams = new Map([['scripted', hesitant()]]);
  const { statuses } = await walk(targetsOf(atlas), {}, { upstreams, fallbacks: false });
  assert.deepEqual(statuses, ['slow 200']);
});

test('neither another model nor an own credential is asked because an endpoint is slow', async () => {
  const atlas = model('acme/atlas', { slow: { hedgeAfter: 1 } });
  const ibis = model('globex/ibis', { quick: {} });
  const [slow] = atlas.endpoints;
  assert.ok(slow);
  const context = () => ({
    upstreams: new Map([['scripted', hesitant()]]),
    secrets: { open: async () => new Secret('own') },
  });
  const others = await walk(targetsOf(atlas, ibis), {}, context());
  assert.deepEqual(others.statuses, ['slow 200']);
  const own = targetOf(atlas, slow, testCredential());
  const shared = targetOf(atlas, slow);
  for (const targets of [
    [own, shared],
    [shared, own],
  ]) {
    const { attempts } = await walk(targets, {}, context());
    assert.deepEqual(
      attempts.map(({ isByok, status }) => [isByok, status]),
      [[targets[0] === own, 200]],
    );
  }
});

test('without the option no second endpoint is tried', async () => {
  const atlas = model('acme/atlas', { slow: {}, quick: {} });
  const abort = new AbortController();
  const reason = new HeadgateError('deadline_exceeded');
  setTimeout(() => abort.abort(reason), 40);
  const { asked, error } = await walk(
    targetsOf(atlas),
    { slow: ['hang'], quick: good },
    { signal: abort.signal },
  );
  assert.deepEqual(asked, ['slow']);
  assert.equal(error, reason);
});
