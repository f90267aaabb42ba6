import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContentLog, type ContentLogParts } from '../../src/content/content-log.ts';
import type { SealedContent } from '../../src/ports/content.ts';
import { RequestTrace } from '../../src/ports/request-trace.ts';
import { account, apiKey, generation } from '../conformance/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { idOf, startKeeping } from '../support/keeping-gateway.ts';
import { parse } from '../support/request-parsing.ts';

test('what cannot be stored is tried three times, dropped and counted, and changes no answer', async (t) => {
  const { ask, gateway, counted, kept } = await startKeeping(t);
  const { contents } = gateway.storage;
  let tries = 0;
  const mock = t.mock.method(contents, 'add', async () => {
    tries += 1;
    throw new Error('no room');
  });
  assert.equal((await ask('Hello')).status, 200);
  await eventually('the loss', async () => ((await counted('dropped')) === 1 ? true : undefined));
  assert.equal(tries, 3);
  mock.mock.restore();
  await kept(idOf(await ask('Hello again')));
  assert.deepEqual([await counted('kept'), await counted('dropped')], [1, 1]);
});

test('a store that fails once gets the same again', async (t) => {
  const { ask, gateway, counted, kept } = await startKeeping(t);
  const { contents } = gateway.storage;
  const add = contents.add.bind(contents);
  let tries = 0;
  t.mock.method(contents, 'add', (some: readonly SealedContent[]) => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error('busy')) : add(some);
  });
  await kept(idOf(await ask('Hello')));
  assert.deepEqual([await counted('kept'), await counted('dropped')], [1, 0]);
});

test('a stopping server stores what waits', async (t) => {
  const { ask, gateway } = await startKeeping(t, { parts: { contentPause: 60_000 } });
  const id = idOf(await ask('Hello'));
  const { contents } = gateway.storage;
  const stored: string[] = [];
  t.mock.method(contents, 'add', async (some: readonly SealedContent[]) => {
    stored.push(...some.map(({ generationId }) => generationId));
  });
  await gateway.server.stop();
  assert.deepEqual(stored, [id]);
});

/** A log whose store is a list, and what is over of an account that says something of a size. */
function openLog(more: Partial<ContentLogParts> = {}) {
  const counts = { kept: 0, dropped: 0 };
  const stored: SealedContent[] = [];
  const log = new ContentLog({
    store: {
      add: async (some) => {
        stored.push(...some);
      },
    },
    vault: { seal: async (_owner, content) => ({ dayKeyId: 'k', sealed: content.toString('base64') }) },
    rules: () => ({ keepDays: 90, queue: 1_000_000 }),
    onItems: (result, count) => {
      counts[result] += count;
    },
    onFailure: (failure) => assert.fail(String(failure)),
    pause: 60_000,
    ...more,
  });
  const say = (accountId: string, text: string, turns = 1) => {
    const exchange = { id: `gen_${Math.random()}`, method: 'POST', route: '/r', scheme: 'http' } as const;
    const trace = new RequestTrace(
      exchange,
      { traceId: '1', isSampled: false },
      { samples: () => false, content: (one) => log.content(one), onOver: (one) => log.over(one) },
    );
    const owner = { ...account({ id: accountId }), contentLogging: true };
    const request = parse({ model: 'acme/atlas-4', input: text });
    const defaults = { contentLogging: { rate: 1, keyNumbers: null } };
    trace.read(
      { request, caller: { key: apiKey(accountId), account: owner, defaults }, attribution: {} },
      undefined,
    );
    trace.content?.allow();
    for (let count = 0; count < turns; count += 1) {
      const turn = trace.beginTurn(request);
      if (turn !== undefined) turn.generation = generation({ accountId });
    }
    trace.close({ status: 200 });
  };
  return { log, counts, stored, say };
}

test('one account takes a quarter of the turns that wait, and others find room', async () => {
  const { log, counts, stored, say } = openLog();
  for (let count = 0; count < 3; count += 1) say('org_flood', 'x', 250);
  assert.equal(counts.dropped, 250);
  say('org_other', 'x');
  await log.close();
  assert.deepEqual(counts, { kept: 501, dropped: 250 });
  assert.equal(stored.filter(({ accountId }) => accountId === 'org_other').length, 1);
});

test('one account takes a quarter of the bytes that wait, and all is free once it is stored', async () => {
  const random = () => Array.from({ length: 7_000 }, () => Math.random().toString(36)).join('');
  const { log, counts, say } = openLog({ rules: () => ({ keepDays: 90, queue: 1_000_000 }) });
  for (let count = 0; count < 10; count += 1) say('org_flood', random());
  say('org_other', 'x');
  await eventually('what was written down', () =>
    counts.dropped >= 5 && counts.dropped < 10 ? true : undefined,
  );
  await log.close();
  assert.equal(counts.kept + counts.dropped, 11);
  const before = counts.dropped;
  const again = openLog({ rules: () => ({ keepDays: 90, queue: 1_000_000 }) });
  for (let count = 0; count < 5; count += 1) {
    again.say('org_flood', random());
    await new Promise((resolve) => setTimeout(resolve, 20));
    await again.log.flush();
  }
  await again.log.close();
  assert.deepEqual([again.counts.dropped, before > 0], [0, true], 'room that is free again is used again');
});
