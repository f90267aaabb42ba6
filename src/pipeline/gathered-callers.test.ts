import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { account, apiKey, usd, wednesday } from '../../test/conformance/fixtures.ts';
import type { StoredCaller } from '../ports/callers.ts';
import { GatheredCallers } from './caller-directory.ts';

/** A store that notes what it is asked together, and knows every hash that begins with "known". */
function begin(patience: number) {
  const asked: (readonly string[])[] = [];
  let failure: Error | undefined;
  const read = async (hashes: readonly string[]) => {
    asked.push(hashes);
    if (failure !== undefined) throw failure;
    const known = hashes.filter((hash) => hash.startsWith('known'));
    return new Map(known.map((hash) => [hash, Promise.resolve(storedCaller(hash))]));
  };
  const fail = (error: Error | undefined) => {
    failure = error;
  };
  return { asked, fail, callers: new GatheredCallers({ read }, { now: () => wednesday }, patience) };
}

function storedCaller(hash: string): StoredCaller {
  const owner = account();
  const balance = { balance: usd(0), purchasedTotal: usd(0), spentTotal: usd(0) };
  return { key: apiKey(owner.id, { hash }), account: owner, spend: undefined, balance, credentials: [] };
}

const anHour = 3_600_000;

test('who is asked for in one turn is read together, each for its own', async () => {
  const { asked, callers } = begin(anHour);
  const found = await Promise.all(
    ['known 1', 'other', 'known 2', 'known 1'].map((hash) => callers.read(hash, true)),
  );
  assert.deepEqual(asked, [['known 1', 'other', 'known 2']]);
  assert.deepEqual(
    found.map(({ caller, moment }) => [caller?.key.hash, moment]),
    ['known 1', undefined, 'known 2', 'known 1'].map((hash) => [hash, wednesday]),
  );
});

test('whom nobody waits for is read a moment later, or with the first one somebody waits for', async () => {
  const { asked, callers } = begin(anHour);
  const refreshed = callers.read('known 1', false);
  await nextTurn();
  assert.deepEqual(asked, []);
  await callers.read('known 2', true);
  assert.deepEqual(asked, [['known 1', 'known 2']]);
  assert.equal((await refreshed).caller?.key.hash, 'known 1');
  const soon = begin(1);
  const alone = soon.callers.read('known 3', false);
  while (soon.asked.length === 0) await sleep(1);
  assert.equal((await alone).caller?.key.hash, 'known 3');
});

test('somebody who begins to wait for what is gathered already hastens it', async () => {
  const { asked, callers } = begin(anHour);
  const refreshed = callers.read('known 1', false);
  callers.hasten();
  callers.hasten();
  assert.equal((await refreshed).caller?.key.hash, 'known 1');
  assert.equal(asked.length, 1);
  callers.hasten();
  await callers.read('known 1', true);
  assert.equal(asked.length, 2, 'nothing is remembered');
});

test('a failure reaches all that were read together, and nobody after them', async () => {
  const { callers, fail } = begin(anHour);
  fail(new Error('away'));
  const reads = [callers.read('known 1', true), callers.read('known 2', true)];
  for (const read of reads) await assert.rejects(read, /away/);
  fail(undefined);
  assert.equal((await callers.read('known 1', true)).caller?.key.hash, 'known 1');
});

test('one that fails by itself or comes late holds up nobody who was read with it', async () => {
  const late = Promise.withResolvers<StoredCaller>();
  const read = async () =>
    new Map<string, Promise<StoredCaller>>([
      ['late', late.promise],
      ['failed', Promise.reject(new Error('locked'))],
      ['known', Promise.resolve(storedCaller('known'))],
    ]);
  const callers = new GatheredCallers({ read }, { now: () => wednesday }, anHour);
  const [slow, failed, known] = ['late', 'failed', 'known'].map((hash) => callers.read(hash, true));
  assert.equal((await known)?.caller?.key.hash, 'known');
  await assert.rejects(failed ?? Promise.resolve(), /locked/);
  late.resolve(storedCaller('late'));
  assert.equal((await slow)?.caller?.key.hash, 'late');
});
