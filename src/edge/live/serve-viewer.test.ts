import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { HttpReply } from '../../http/reply.ts';
import { CallProgress } from '../../pipeline/call-progress.ts';
import { LiveChanges, mostNewRows } from './live-changes.ts';
import { keptFor, LiveFeeds, mostWaiting, RecentBatches } from './live-feeds.ts';
import { mostLiveRows } from './live-rows.ts';
import { type LiveCall, RunningCalls } from './running-calls.ts';
import { serveViewer } from './serve-viewer.ts';

/** A request as far as a row shows it. */
function callOf(number: number, model = 'acme/atlas-4'): LiveCall {
  const caller = { account: { id: 'a' }, key: { hash: 'k', workspaceId: null } };
  const request = { models: [model], stream: true };
  const facts = { caller, request, generationId: `gen-${number}`, receivedAt: number };
  return { facts: facts as unknown as LiveCall['facts'], progress: new CallProgress(), cancel: () => {} };
}

const viewer = { keyHash: 'k', accountId: 'a', role: 'operator' } as const;

/** Serves one viewer that reads nothing before the test asks it to. */
async function view(runningCalls: RunningCalls) {
  const clock = { now: () => Date.now() };
  const config = { server: { sendTimeout: 60_000 } } as Parameters<typeof serveViewer>[3]['config'];
  const lifecycle = { draining: false };
  const liveFeeds = new LiveFeeds(runningCalls);
  const server = createServer((_, response) => {
    void serveViewer(new HttpReply(response, {}, 60_000), { viewer, filter: {} }, async () => {}, {
      clock,
      config,
      lifecycle,
      liveFeeds,
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  return { response, lifecycle, liveFeeds, close: () => server.close() };
}

test('a viewer that reads slowly is told what it missed, and gets everything anew', async (t) => {
  const calls = new RunningCalls();
  const longModel = 'm'.repeat(200_000);
  for (let n = 0; n < mostLiveRows; n += 1) calls.enter(callOf(n, longModel));
  const { response, lifecycle, liveFeeds, close } = await view(calls);
  t.after(close);
  // Several batches pass while the first snapshot, which no buffer holds, waits.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  let names = '';
  for await (const bytes of response.setEncoding('utf8')) {
    names += String(bytes).replace(/m{9,}/g, '');
    if (names.split('event: snapshot').length > 2) lifecycle.draining = true;
  }
  const [, missed] = /event: lost\ndata: \{"count":(\d+)\}/.exec(names) ?? [];
  assert.ok(Number(missed) >= 1, names.slice(0, 200));
  assert.ok(names.indexOf('event: lost') < names.lastIndexOf('event: snapshot'));
  assert.match(names, /event: bye\ndata: \{"reason":"the server stops"\}\n\n$/);
  assert.equal(liveFeeds.viewers, 0);
});

test('of many requests a viewer gets those that run longest, and the number of all', async (t) => {
  const calls = new RunningCalls();
  const entered = Array.from({ length: mostLiveRows + 50 }, (_, n) => calls.enter(callOf(n)));
  calls.leave(entered[7] as NonNullable<(typeof entered)[0]>, () => assert.fail('nobody watches'));
  const { response, lifecycle, close } = await view(calls);
  t.after(close);
  let text = '';
  for await (const bytes of response.setEncoding('utf8')) {
    text += String(bytes);
    if (text.includes('\n\n')) lifecycle.draining = true;
  }
  const [, data = ''] = /event: snapshot\ndata: (.*)\n\n/.exec(text) ?? [];
  const { rows, running } = JSON.parse(data) as { rows: { id: string }[]; running: number };
  assert.deepEqual([rows.length, running], [mostLiveRows, mostLiveRows + 49]);
  assert.deepEqual([rows[0]?.id, rows.at(-1)?.id], ['gen-0', 'gen-200']);
});

test('of a flood of short requests a viewer gets some rows a batch, every end of a row it has, and the number of all', () => {
  const calls = new RunningCalls();
  const long = calls.enter(callOf(0));
  const changes = new LiveChanges(calls, {}, 1_000);
  let number = 1;
  const flood = (count: number) => {
    for (let n = 0; n < count; n += 1) {
      calls.leave(calls.enter(callOf(number)), () => 1_000);
      number += 1;
    }
  };
  const names = (now: number) => {
    const events = changes.take(now);
    return Object.groupBy(events, ({ name }) => name);
  };
  flood(5_000);
  const staying = Array.from({ length: 35 }, () => {
    number += 1;
    return calls.enter(callOf(number));
  });
  const first = names(1_250);
  assert.deepEqual(
    [first.begin?.length, first.end?.length, first.count],
    [mostNewRows, mostNewRows, undefined],
  );
  // Those that stay come in the next batches, none of them twice.
  const begun = [first, names(1_500), names(1_750)].flatMap(({ begin = [] }) => begin);
  assert.equal(new Set(begun.map(({ data }) => (data as { id: string }).id)).size, 3 * mostNewRows);
  for (const entered of [long, ...staying]) calls.leave(entered, () => 1_900);
  flood(20);
  const last = names(2_000);
  // The row that ran before, the 30 that began, and as many others as one batch takes.
  assert.equal(last.end?.length, 1 + 3 * mostNewRows + mostNewRows);
  const counts = last.count?.map(({ data }) => data as Record<'running' | 'done' | 'failed', number>);
  assert.deepEqual(
    counts?.map(({ running, done, failed }) => [running, done + failed]),
    [[0, 5_000 + 36 + 20]],
  );
  changes.stop();
});

test('viewers of the same requests get the same batches, and a feed ends with its last viewer', async () => {
  const calls = new RunningCalls();
  const feeds = new LiveFeeds(calls);
  const seen: string[][] = [[], []];
  const now = () => 1_000;
  const joined = seen.map((texts) => feeds.join({}, ({ text }) => texts.push(text), now));
  const other = feeds.join({ keyHash: 'another' }, ({ text }) => assert.equal(text, ''), now);
  calls.enter(callOf(1));
  await eventually('a batch', async () => seen[1]?.some((text) => text.includes('gen-1')));
  assert.deepEqual(seen[0], seen[1]);
  const late = feeds.join({}, () => {}, now);
  assert.match(late.first, /^id: \S+\.\d+\nevent: snapshot\ndata: .*"id":"gen-1"/);
  assert.equal(feeds.viewers, 4);
  for (const { leave } of joined) leave();
  other.leave();
  assert.equal(feeds.viewers, 1);
  late.leave();
  assert.equal(feeds.viewers, 0);
});

/** The id of the last event of a text. */
function lastIdOf(text: string): string {
  return (
    text
      .match(/^id: (.*)$/gm)
      ?.at(-1)
      ?.slice(4) ?? ''
  );
}

test('a viewer that comes back gets what it missed: from a feed that went on, and from one that waited', async () => {
  const calls = new RunningCalls();
  const feeds = new LiveFeeds(calls);
  const now = () => 1_000;
  const running = [1, 2, 3].map((number) => calls.enter(callOf(number)));
  const end = (index: number) => calls.leave(running[index] as NonNullable<(typeof running)[0]>, now);
  const first = feeds.join({}, () => {}, now);
  const seen = lastIdOf(first.first);
  const texts: string[] = [];
  const other = feeds.join({}, ({ text }) => texts.push(text), now);
  first.leave();
  end(0);
  await eventually('an end', async () => texts.some((text) => text.includes('event: end')));
  const back = feeds.join({}, () => {}, now, seen);
  assert.match(back.first, /^id: \S+\nevent: end\ndata: {"id":"gen-1"/);
  back.leave();
  other.leave();
  assert.equal(feeds.viewers, 0);
  end(1);
  calls.enter(callOf(4));
  const again = feeds.join({}, () => {}, now, lastIdOf(back.first));
  const names = [...again.first.matchAll(/event: (\w+)\ndata: {"id":"([^"]*)"/g)].map(([, name, id]) => [
    name,
    id,
  ]);
  assert.deepEqual(names, [
    ['begin', 'gen-4'],
    ['end', 'gen-2'],
  ]);
  const joined = [again, feeds.join({}, () => {}, now, lastIdOf(again.first))];
  assert.equal(joined[1]?.first, '');
  const anew = (filter: object, id: string) => {
    const viewer = feeds.join(filter, () => {}, now, id);
    joined.push(viewer);
    assert.match(viewer.first, /event: snapshot/, id);
  };
  for (const unknown of ['', '7', `${seen.split('.')[0]}.x`, 'another.1', `${seen}.1`.replace('.', '!')])
    anew({}, unknown);
  anew({ model: 'other' }, seen);
  for (const { leave } of joined) leave();
});

test('feeds wait for a few viewers, the latest ones, and one that was waited for in vain begins anew', () => {
  const calls = new RunningCalls();
  const feeds = new LiveFeeds(calls);
  const now = () => 1_000;
  const ids = Array.from({ length: mostWaiting + 1 }, (_, number) => {
    const joined = feeds.join({ model: `${number}` }, () => {}, now);
    joined.leave();
    return lastIdOf(joined.first);
  });
  const firstOf = (number: number, id?: string) => {
    const joined = feeds.join({ model: `${number}` }, () => {}, now, id);
    joined.leave();
    return joined.first;
  };
  assert.match(firstOf(0, ids[0]), /event: snapshot/);
  assert.doesNotMatch(firstOf(mostWaiting, ids[mostWaiting]), /event: snapshot/);
  // Who knows nothing gets all that runs, not what a waiting feed knew.
  calls.enter(callOf(1, `${mostWaiting}`));
  const fresh = firstOf(mostWaiting);
  assert.match(fresh, /event: snapshot\ndata: .*"gen-1"/);
  assert.notEqual(fresh.split('.')[0], `id: ${ids[mostWaiting]?.split('.')[0]}`);
});

test('batches are kept for a minute, and not too many of them', () => {
  const recent = new RecentBatches();
  for (let number = 1; number <= 5; number += 1)
    recent.add({ last: number, at: number * 1_000, text: `${number};` });
  assert.equal(recent.after(0), '1;2;3;4;5;');
  assert.equal(recent.after(3), '4;5;');
  assert.equal(recent.after(5), '');
  recent.add({ last: 6, at: keptFor + 3_500, text: '6;' });
  assert.equal(recent.after(2), undefined);
  assert.equal(recent.after(3), '4;5;6;');
  recent.add({ last: 7, at: keptFor + 3_600, text: 'x'.repeat(249_999) });
  assert.equal(recent.after(5), undefined);
  assert.equal(recent.after(6)?.length, 249_999);
  recent.add({ last: 8, at: keptFor + 3_600, text: 'x'.repeat(250_001) });
  assert.equal(recent.after(7), undefined, 'a batch that is too long is not kept');
  assert.equal(recent.after(8), '');
});
