import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCaller } from '../../test/support/caller.ts';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { plainByokTerms } from '../../test/support/credentials.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { routingServices } from '../../test/support/routing-services.ts';
import { type Script, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { spendingServices } from '../../test/support/spending-services.ts';
import type { Price } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import { parsePricePerMillion, parseUsd } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';
import { roomOf } from '../ports/answer-room.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Caller } from '../settlement/caller.ts';
import { MemoryStickyEndpoints } from '../shared-state/memory/memory-sticky-endpoints.ts';
import { RequestEvents } from './request-events.ts';
import { run } from './run.ts';

const [north, south] = ['north', 'south'].map((slug) => providerOf({ slug, adapter: 'scripted' }));
assert.ok(north && south);
const usd = parsePricePerMillion;
const cached: Price = { prompt: usd(1), completion: usd(1), cacheRead: usd(0.1) };

class CountingStickyEndpoints extends MemoryStickyEndpoints {
  remembered = 0;

  override remember(...entry: Parameters<MemoryStickyEndpoints['remember']>): void {
    this.remembered += 1;
    super.remember(...entry);
  }
}

/** One installation over time, with a draw that a test decides: 0 is north's, nearly 1 is south's. */
class Installation {
  readonly clock = { time: 1_000_000, now: () => this.clock.time };
  draw = 0;
  usage: Usage = { uncachedInput: 10, output: 1 };
  failing: readonly string[] = [];
  readonly sticky = new CountingStickyEndpoints(this.clock, 100);
  readonly #model;

  constructor(price: Price = cached, providers = [north, south]) {
    this.#model = modelOf(
      'acme/swift-1',
      providers.filter((provider) => provider !== undefined),
      { price },
    );
  }

  /** Sends a request and returns the tag of the endpoint that was asked first. */
  async ask(body: object, caller: Caller = someone): Promise<string | undefined> {
    const answer: Script = [
      [{ kind: 'text', block: 0, text: 'Hi' }],
      [
        { kind: 'usage', usage: this.usage },
        { kind: 'finish', reason: 'stop' },
      ],
    ];
    const scriptOf = (slug: string) =>
      this.failing.includes(slug) ? [new HeadgateError('provider_failed')] : answer;
    const upstream = new ScriptedUpstream({ north: scriptOf('north'), south: scriptOf('south') });
    const services = {
      ...routingServices({ stickyEndpoints: this.sticky, random: () => this.draw }),
      ...spendingServices(),
      ledger: { settle: async ({ cost }) => cost } as Partial<Ledger> as Ledger,
      byokTerms: () => plainByokTerms,
      charges: { begin: () => () => {} },
      events: new RequestEvents([]),
      catalogue: () => ({ models: new Map([[this.#model.id, this.#model]]), providers: new Map() }),
      upstreams: new Map([['scripted', upstream]]),
    };
    const call = {
      request: parse(body),
      caller,
      generationId: 'gen-1',
      attribution: {},
      receivedAt: this.clock.time,
      signal: new AbortController().signal,
      room: roomOf(32 * 1024 * 1024),
    };
    const running = run(call, services);
    while (!(await running.next()).done);
    return upstream.calls[0]?.endpoint.tag;
  }
}

const someone = testCaller(parseUsd(1000));
const southern = 0.999;
const session = { session_id: 'talk' };

test('a named conversation stays where it was served, account by account, name by name', async () => {
  const place = new Installation();
  assert.equal(await place.ask(session), 'north');
  place.draw = southern;
  assert.equal(await place.ask(session), 'north');
  const { account } = someone;
  assert.equal(await place.ask(session, { ...testCaller(parseUsd(1000)), account }), 'north', 'another key');
  assert.equal(await place.ask(session, testCaller(parseUsd(1000))), 'south', 'another account');
  assert.equal(await place.ask({ session_id: 'other' }), 'south');
  assert.equal(await place.ask({ prompt_cache_key: 'cached' }), 'south');
  place.draw = 0;
  assert.equal(await place.ask({ prompt_cache_key: 'cached' }), 'south');
  assert.equal(
    await place.ask({ ...session, provider: { order: ['south'] } }),
    'south',
    'an order turns it off',
  );
  assert.equal(
    await place.ask({ session_id: 'other', provider: { sort: 'price' } }),
    'south',
    'a sort does not',
  );
});

test('it is forgotten after ten minutes without a success', async () => {
  const place = new Installation();
  await place.ask(session);
  place.draw = southern;
  place.clock.time += 599_999;
  assert.equal(await place.ask(session), 'north');
  place.clock.time += 599_999;
  assert.equal(await place.ask(session), 'north', 'every success begins anew');
  place.clock.time += 600_000;
  assert.equal(await place.ask(session), 'south');
});

test('it is remembered as long as the cache that the request asks for', async () => {
  const marked = (ttl: string) => ({
    ...session,
    input: [
      {
        role: 'user',
        content: [{ type: 'input_text', text: 'Hi', cache_control: { type: 'ephemeral', ttl } }],
      },
    ],
  });
  for (const [body, minutes] of [
    [marked('1h'), 60],
    [marked('5m'), 10],
    [{ ...session, cache_control: { type: 'ephemeral', ttl: '1h' } }, 60],
    [{ ...session, prompt_cache_options: { mode: 'explicit', ttl: '30m' } }, 30],
  ] as const) {
    const place = new Installation();
    await place.ask(body);
    place.draw = southern;
    place.clock.time += minutes * 60_000 - 1;
    assert.equal(await place.ask({ ...session, provider: { sort: 'price' } }), 'north', JSON.stringify(body));
    const another = new Installation();
    await another.ask(body);
    another.draw = southern;
    another.clock.time += minutes * 60_000;
    assert.equal(await another.ask(session), 'south', JSON.stringify(body));
  }
});

test('an endpoint that fails is left for the one that answered', async () => {
  const place = new Installation();
  await place.ask(session);
  place.failing = ['north'];
  assert.equal(await place.ask(session), 'north');
  place.failing = [];
  assert.equal(await place.ask(session), 'south', 'south answered in its place');
});

test('without a name it is known by its beginning, once a cache was used', async () => {
  const place = new Installation();
  const turn = (last: string) => ({
    instructions: 'Be kind.',
    input: [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: last },
    ],
  });
  await place.ask(turn('One.'));
  place.draw = southern;
  assert.equal(await place.ask(turn('Two.')), 'south', 'no cache was used');
  place.usage = { uncachedInput: 1, cacheWrite: 9, output: 1 };
  assert.equal(await place.ask(turn('Three.')), 'south');
  place.draw = 0;
  assert.equal(await place.ask(turn('Four.')), 'south');
  assert.equal(await place.ask({ ...turn('Five.'), instructions: 'Be brief.' }), 'north');
  const discreet = testCaller(parseUsd(1000), { account: { zeroRetention: true } });
  place.draw = southern;
  assert.equal(await place.ask(turn('Six.'), discreet), 'south');
  place.draw = 0;
  assert.equal(await place.ask(turn('Seven.'), discreet), 'north', 'nothing of it is kept');
});

test('where reading the cache saves nothing, nothing sticks', async () => {
  for (const price of [
    { ...cached, cacheRead: usd(1) },
    { prompt: usd(1), completion: usd(1) },
  ]) {
    const place = new Installation(price);
    await place.ask(session);
    place.draw = southern;
    assert.equal(await place.ask(session), 'south');
  }
});

test('nothing is remembered where a model has one endpoint only', async () => {
  for (const [providers, remembered] of [
    [[north, south], 1],
    [[north], 0],
  ] as const) {
    const place = new Installation(cached, [...providers]);
    await place.ask(session);
    assert.equal(place.sticky.remembered, remembered);
  }
});
