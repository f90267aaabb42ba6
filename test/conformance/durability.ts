import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { account, ledgerEntry, usd } from './fixtures.ts';

const rounds = 5;
const child = fileURLToPath(new URL('./settle-until-killed.ts', import.meta.url));

/** Makes the URL of an empty database other processes can open; what it made is removed after the test. */
export type MakeUrl = (test: { after: (cleanUp: () => Promise<void>) => void }) => Promise<string>;

/** What is settled survives the death of the process (docs/spec/operations.md#durable-before-visible). */
export function describeDurability(name: string, makeUrl: MakeUrl): void {
  describe(`durability: ${name}`, () => {
    test('every id a killed process reported is there once, and the books agree', async (t) => {
      const url = await makeUrl(t);
      const storage = await openStorage(url);
      try {
        await storage.migrate();
        await survive(storage, url);
      } finally {
        await storage.close();
      }
    });
  });
}

/** Kills one process after the other while this one, with the same database open, goes on using it. */
async function survive(storage: Storage, url: string): Promise<void> {
  const owner = account();
  await storage.accounts.create(owner);
  let reported = 0;
  for (let round = 0; round < rounds; round += 1) {
    const ids = await settleAndKill(url, `gen-round${round}`, async () => {
      assert.equal(await storage.ledger.append(ledgerEntry(owner.id, { amount: usd(1) })), true);
    });
    reported += ids.length;
    assert.equal(new Set(ids).size, ids.length);
    await assertBooked(url, ids);
  }
  const [day] = await storage.generations.usage(0, 'day');
  assert.ok(day !== undefined && day.requests >= reported, `${day?.requests} kept, ${reported} reported`);
  // No caller can have had more than one settlement under way that it did not live to report.
  assert.ok(day.requests <= reported + rounds * 8 * 2, `${day.requests} kept, ${reported} reported`);
  assert.equal((await storage.ledger.balance('org_crash')).spentTotal, day.cost);
  assert.equal((await storage.ledger.balance(owner.id)).balance, BigInt(rounds));
  assert.deepEqual(await storage.ledger.verify(), []);
}

/** Looks as the next process to open the database would. */
async function assertBooked(url: string, ids: readonly string[]): Promise<void> {
  const storage = await openStorage(url);
  try {
    for (const id of ids) assert.equal((await storage.generations.find(id))?.id, id);
  } finally {
    await storage.close();
  }
}

async function settleAndKill(url: string, prefix: string, meanwhile: () => Promise<void>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  const file = join(directory, 'reported');
  try {
    const settling = spawn(process.execPath, [child, url, prefix, file], { stdio: 'inherit' });
    const exited = once(settling, 'exit');
    while (!existsSync(file) && settling.exitCode === null) await delay(5);
    await meanwhile();
    await delay(Math.random() * 150);
    settling.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    // A line without its end was not written whole.
    return (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
