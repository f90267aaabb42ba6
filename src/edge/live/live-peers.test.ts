import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { CallProgress } from '../../pipeline/call-progress.ts';
import type { ProcessMessages } from '../../ports/process-messages.ts';
import { LiveFeeds } from './live-feeds.ts';
import { LivePeers } from './live-peers.ts';
import { type LiveFilter, type LiveRow, mostLiveRows } from './live-rows.ts';
import { RemoteRows } from './remote-rows.ts';
import { type LiveCall, RunningCalls } from './running-calls.ts';

const now = () => Date.now();

/** A request as far as a row shows it. */
function callOf(id: string, accountId = 'a', onCancel = () => {}): LiveCall {
  const caller = { account: { id: accountId }, key: { hash: 'k', workspaceId: 'w' } };
  const request = { models: ['acme/atlas-4'], stream: true };
  const facts = { caller, request, generationId: id, receivedAt: 1 };
  return { facts: facts as unknown as LiveCall['facts'], progress: new CallProgress(), cancel: onCancel };
}

/** Processes that send each other messages as JSON, like through a server. */
class Bus {
  readonly sent: { readonly kind?: unknown }[] = [];
  readonly #members = new Map<string, (message: unknown) => void>();
  /** Whether the next messages to single processes get lost. */
  isDeaf = false;
  dropped = 0;

  join(address: string): ProcessMessages {
    return {
      address,
      broadcast: (message) => {
        for (const other of this.#members.keys()) if (other !== address) this.#deliver(other, message);
      },
      send: (to, message) => {
        if (this.isDeaf) this.dropped += 1;
        else this.#deliver(to, message);
      },
      listen: (listener) => {
        this.#members.set(address, listener);
      },
    };
  }

  #deliver(to: string, message: unknown): void {
    const text = JSON.stringify(message);
    this.sent.push(JSON.parse(text));
    this.#members.get(to)?.(JSON.parse(text));
  }
}

function start(context: TestContext, bus: Bus, address: string) {
  const calls = new RunningCalls();
  const peers = new LivePeers(calls, bus.join(address), now);
  const feeds = new LiveFeeds(calls, peers);
  context.after(() => feeds.close());
  return { calls, peers, feeds };
}

interface Told {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of many shapes, each checked by its test.
  readonly data: any;
}

function view(feeds: LiveFeeds, filter: LiveFilter = {}) {
  const events: Told[] = [];
  const read = (text: string) => {
    for (const [, name = '', data = ''] of text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g))
      events.push({ name, data: JSON.parse(data) });
  };
  const { first, leave } = feeds.join(filter, ({ text }) => read(text), now);
  read(first);
  const wait = (name: string, fits: (data: Told['data']) => boolean = () => true) =>
    eventually(name, async () => events.find((event) => event.name === name && fits(event.data)));
  return { events, wait, leave };
}

test('a viewer sees what other processes run, and nothing is sent while nobody watches', async (t) => {
  const bus = new Bus();
  const [one, other, third] = ['1', '2', '3'].map((address) => start(t, bus, address));
  assert.ok(one && other && third);
  const running = Array.from({ length: 30 }, (_, n) => other.calls.enter(callOf(`gen-${n}`)));
  other.calls.enter(callOf('gen-foreign', 'b'));
  third.calls.enter(callOf('gen-third'));
  assert.deepEqual(bus.sent, []);

  const viewer = view(one.feeds, { accountId: 'a' });
  const whole = await viewer.wait('snapshot', ({ rows }) => rows.length === 31);
  assert.deepEqual([whole.data.running, whole.data.streams], [31, 31]);
  assert.match(whole.data.rows[0].process, /:\d+$/);
  assert.doesNotMatch(JSON.stringify(viewer.events), /gen-foreign/);
  assert.deepEqual([one.peers.published, other.peers.published, third.peers.published], [0, 1, 1]);

  other.calls.enter(callOf('gen-new'));
  await viewer.wait('begin', ({ id }) => id === 'gen-new');
  const [first] = running;
  assert.ok(first);
  other.calls.leave(first, now);
  const ended = await viewer.wait('end', ({ id }) => id === 'gen-0');
  assert.deepEqual([ended.data.phase, ended.data.outcome], ['ended', 'refused']);

  viewer.leave();
  assert.deepEqual([other.peers.published, third.peers.published], [0, 0]);
  const sent = bus.sent.length;
  other.calls.leave(other.calls.enter(callOf('gen-unseen')), now);
  assert.equal(bus.sent.length, sent);
});

test('what is lost on the way is told anew, and a process that falls silent takes its rows along', async (t) => {
  const bus = new Bus();
  const [one, other] = [start(t, bus, '1'), start(t, bus, '2')];
  const viewer = view(one.feeds);
  await viewer.wait('snapshot');
  await eventually('a peer', async () => bus.sent.some(({ kind }) => kind === 'rows'));
  bus.isDeaf = true;
  const lost = other.calls.enter(callOf('gen-lost'));
  await eventually('a message that gets lost', async () => bus.dropped > 0);
  bus.isDeaf = false;
  other.calls.enter(callOf('gen-next'));
  const anew = await viewer.wait('snapshot', ({ rows }) => rows.length === 2);
  assert.deepEqual(anew.data.rows.map(({ id }: LiveRow) => id).sort(), ['gen-lost', 'gen-next']);
  other.calls.leave(lost, now);
  await viewer.wait('end', ({ id }) => id === 'gen-lost');
  viewer.leave();
});

test('a request that runs elsewhere is found by its owner and ended there', async (t) => {
  const bus = new Bus();
  const [one, other] = [start(t, bus, '1'), start(t, bus, '2')];
  let cancelled = 0;
  other.calls.enter(
    callOf('gen-1', 'a', () => {
      cancelled += 1;
    }),
  );
  const found = await one.feeds.findElsewhere('gen-1');
  assert.deepEqual([found?.accountId, found?.workspaceId, cancelled], ['a', 'w', 0]);
  found?.cancel();
  assert.equal(cancelled, 1);
  assert.equal(await one.feeds.findElsewhere('gen-none'), undefined);
  const alone = new LiveFeeds(new RunningCalls());
  assert.equal(await alone.findElsewhere('gen-1'), undefined);
});

test('filters of another version, and messages that make no sense, are not heard', (t) => {
  const bus = new Bus();
  const { peers } = start(t, bus, '1');
  const stranger = bus.join('9');
  for (const message of [
    null,
    'text',
    { kind: 'watch' },
    { kind: 'watch', from: '9' },
    { kind: 'watch', from: '9', filter: { accountId: 7 } },
    { kind: 'watch', from: '9', filter: { accountId: 'a', status: 'new' } },
    { kind: 'rows', from: '9', filter: {}, number: 'one' },
    { kind: 'found', from: '9' },
    { kind: 'cancel', id: 'gen-none' },
    { kind: 'find', from: '9', id: 'gen-none' },
  ])
    stranger.send('1', message);
  assert.equal(peers.published, 0);
});

test('so many filters of others are published at once: of a key, of an account, of all, and of operators beside them', (t) => {
  const bus = new Bus();
  const { peers } = start(t, bus, '1');
  const stranger = bus.join('9');
  const publish = (filter: LiveFilter) => {
    for (let number = 0; number < 50; number += 1)
      stranger.send('1', { kind: 'watch', from: '9', filter: { ...filter, model: `${number}` } });
    return peers.published;
  };
  assert.equal(publish({ accountId: 'a', keyHash: 'k' }), 4);
  assert.equal(publish({ accountId: 'a' }), 8);
  const accounts = ['b', 'c', 'd', 'e', 'f', 'g'].map((accountId) => publish({ accountId }));
  assert.deepEqual(accounts, [16, 24, 32, 40, 40, 40]);
  assert.equal(publish({}), 48);
});

test('rows of a process are bounded, and gone five seconds after its last word', () => {
  const rows = new RemoteRows();
  const row = (id: string) => ({ id, process: 'p', began_at: 't', phase: 'waiting', key_hash: 'k' });
  const many = Array.from({ length: 300 }, (_, n) => row(`gen-${n}`));
  const snapshot = { rows: many, running: 300, streams: 1, done: 2, failed: 'x' };
  assert.equal(rows.hear('2', 7, { events: [] }, 0), false, 'nothing is known before');
  assert.equal(rows.hear('2', 7, { snapshot }, 0), true);
  assert.equal(rows.hear('2', 8, { events: [{ name: 'begin', data: row('gen-more') }, 'x', {}] }, 0), true);
  const look = rows.look(4_999, 9);
  assert.deepEqual(
    [look.rows.length, look.isAnew, look.counts],
    [mostLiveRows, true, { running: 300, streams: 1, done: 2, failed: 0 }],
  );
  assert.equal(rows.hear('2', 10, { events: [] }, 1), false, 'one is missing');
  const gone = rows.look(5_000, 9);
  assert.deepEqual(
    [gone.rows.length, gone.ended.length, gone.isAnew, gone.counts.running],
    [0, mostLiveRows, false, 0],
  );
  assert.deepEqual([gone.ended[0]?.outcome, gone.ended[0]?.phase], ['unknown', 'ended']);
  for (let n = 0; n < 101; n += 1)
    rows.hear(`peer-${n}`, 1, { snapshot: { rows: [row(`gen-${n}`)] } }, 6_000);
  assert.equal(rows.look(6_000, 9).rows.length, 100);
});
