import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkStream } from '../../test/stream-checker.ts';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { plainByokTerms } from '../../test/support/credentials.ts';
import { good, invoiced, parse, play, text, usage } from '../../test/support/play-call.ts';
import { routingServices } from '../../test/support/routing-services.ts';
import { ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { spendingServices } from '../../test/support/spending-services.ts';
import { HeadgateError } from '../core/errors.ts';
import { roomOf } from '../ports/answer-room.ts';
import type { Generation } from '../ports/generations.ts';
import type { Ledger } from '../ports/ledger.ts';
import { estimateInputTokens } from '../settlement/measured-prompt.ts';
import { countTokens } from '../util/count-tokens.ts';
import { RequestEvents } from './request-events.ts';
import { run } from './run.ts';
import { ClientGone } from './services.ts';

test('a client that goes away aborts the upstream and pays for what was made', async () => {
  const { booked, upstream, response, refused } = await play({
    scripts: { north: [[text('Good day to you all.')], 'hang'] },
    abortAfterBatches: { count: 1, reason: new ClientGone() },
  });
  assert.equal(response, undefined);
  assert.equal(refused, undefined);
  assert.deepEqual(upstream.closed, ['north']);
  assert.equal(booked.length, 1);
  assert.deepEqual([booked[0]?.cancelled, booked[0]?.usageEstimated], [true, true]);
  assert.ok((booked[0]?.cost ?? 0n) > 0n);
  assert.equal(booked[0]?.usage.output, countTokens('Good day to you all.'));
});

test('a client that leaves before the answer begins pays for the prompt of the endpoint asked', async () => {
  const { booked } = await play({
    scripts: { north: ['hang'] },
    body: { input: 'x'.repeat(4000) },
    abortAfterBatches: { count: 0, reason: new ClientGone() },
  });
  assert.deepEqual(
    [booked[0]?.cancelled, booked[0]?.usageEstimated, booked[0]?.provider, booked[0]?.usage.output],
    [true, true, 'north', 0],
  );
  const tokens = estimateInputTokens(
    parse({ model: 'acme/atlas-4', input: 'x'.repeat(4000) }).request.canonical,
  );
  assert.equal(booked[0]?.cost, BigInt(tokens) * 3_000n, '3 USD per million');
  assert.deepEqual(
    booked[0]?.attempts.map(({ status }) => status),
    [499],
    'no failure of the provider',
  );
});

test('a client that leaves while nobody can be reached pays nothing', async () => {
  const { booked } = await play({
    scripts: { north: [new HeadgateError('provider_overloaded')], south: ['unreachable'] },
    abortAfterBatches: { count: 0, reason: new ClientGone() },
  });
  assert.deepEqual(
    booked[0]?.attempts.map(({ provider, status }) => [provider, status]),
    [
      ['north', 529],
      ['south', 499],
    ],
  );
  assert.deepEqual([booked[0]?.cancelled, booked[0]?.cost, booked[0]?.provider], [true, 0n, undefined]);
});

test('leaving the iteration early settles too', async () => {
  const upstream = new ScriptedUpstream({ north: [[text('Good ')], 'hang'] });
  const booked: Generation[] = [];
  const provider = providerOf({ slug: 'north', adapter: 'scripted' });
  const answer = run(
    {
      request: parse({ model: 'acme/atlas-4', input: 'Hi', stream: true }).request,
      caller: invoiced,
      generationId: 'gen-2',
      attribution: {},
      receivedAt: 0,
      signal: new AbortController().signal,
      room: roomOf(32 * 1024 * 1024),
    },
    {
      ledger: { settle: async (generation: Generation) => void booked.push(generation) } as unknown as Ledger,
      ...routingServices(),
      ...spendingServices({ clock: { now: () => 0 } }),
      byokTerms: () => plainByokTerms,
      charges: { begin: () => () => {} },
      events: new RequestEvents([]),
      catalogue: () => ({
        models: new Map([['acme/atlas-4', modelOf('acme/atlas-4', [provider])]]),
        providers: new Map(),
      }),
      upstreams: new Map([['scripted', upstream]]),
    },
  );
  await answer.next();
  await answer.return(undefined);
  assert.deepEqual([booked.length, booked[0]?.cancelled, upstream.closed], [1, true, ['north']]);
});

test('an answer whose charge cannot be booked is not told as complete', async () => {
  const { events, response } = await play({ scripts: { north: good }, bookingFails: true });
  const terminal = checkStream(events);
  assert.equal(terminal.status, 'failed');
  assert.equal(response?.error_type, 'server');
  const tooLong = new HeadgateError('upstream_context_length');
  const cutOff = await play({ scripts: { north: [[text('Good ')], [usage], tooLong] }, bookingFails: true });
  assert.equal(checkStream(cutOff.events).status, 'failed', 'nor as one that ended early');
});

test('unstreamed, an answer whose charge cannot be booked is refused', async () => {
  const { response, refused } = await play({
    scripts: { north: good },
    body: { stream: false },
    bookingFails: true,
  });
  assert.deepEqual([response, refused?.error.status], [undefined, 503]);
});
