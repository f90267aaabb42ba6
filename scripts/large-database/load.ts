import { Client } from 'pg';
import { nanoFromInteger, zeroUsd } from '../../src/core/money.ts';
import { plainKeySettings } from '../../src/ports/keys.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { dayLength } from '../../src/util/utc-windows.ts';
import {
  accountCount,
  counterStatements,
  drawCalls,
  keyCount,
  repeatCalls,
  sourceTables,
  sumCalls,
} from './call-statement.ts';
import { dropIndexes, type StoredIndex } from './indexes.ts';

/** What to load, and how to report progress. */
export interface LoadOrder {
  readonly url: string;
  readonly rows: number;
  readonly details: 'full' | 'short';
  readonly report: (line: string) => void;
}

/** Days of calls; the last one is today until now. */
export const dayCount = 366;

/** Days for which calls are generated; later ones repeat them, which takes a third of the time. */
const drawnDays = 40;

/**
 * Creates the schema as Headgate does; accounts, keys and purchases through the stores; and the calls with all their
 * counters by one statement per day, without indexes, which are built afterwards. Made for a server that skips the
 * log of what one transaction both empties and fills (`wal_level=minimal`).
 */
export async function load(order: LoadOrder): Promise<void> {
  const storage = await openStorage(order.url);
  await storage.migrate();
  await makeAccounts(storage);
  const client = new Client({ connectionString: order.url });
  await client.connect();
  try {
    await loadCalls(client, order);
  } finally {
    await client.end();
  }
  await buyCredits(storage);
  await storage.close();
}

async function loadCalls(client: Client, { rows, details, report }: LoadOrder): Promise<void> {
  const step = async (name: string, statements: readonly string[]) => {
    const start = performance.now();
    for (const statement of statements) await client.query(statement);
    report(`${name}: ${Math.round((performance.now() - start) / 1000)} s`);
  };
  const tables = ['generations', 'daily_usage', 'key_spend'];
  const now = Date.now();
  const today = Math.floor(now / dayLength);
  const start = today - dayCount + 1;
  const drawn = { first: start, end: start + drawnDays };
  await client.query("begin; select setseed(0.5); set local work_mem = '1GB'");
  await step('sources', sourceTables);
  const indexes: StoredIndex[] = await dropIndexes(client, tables);
  await client.query(`truncate ${tables.join(', ')}`);
  const callsOfDay = Math.ceil(rows / (dayCount - 1 + (now % dayLength) / dayLength));
  await step('draw', [
    drawCalls(drawn, callsOfDay, details),
    sumCalls('load.usage', drawn.first * dayLength, drawn.end * dayLength),
  ]);
  for (let shift = 0; shift < dayCount; shift += drawnDays)
    await step(`repeat after ${shift} days`, repeatCalls(shift, now));
  const sinceToday = (today - start) % drawnDays;
  const shift = today - start - sinceToday;
  await step('today', [sumCalls('daily_usage', (today - shift) * dayLength, now - shift * dayLength, shift)]);
  await client.query('commit');
  await step('vacuum', [
    'drop schema load cascade',
    'vacuum (freeze) generations',
    'vacuum (freeze) daily_usage',
  ]);
  await step('counters', counterStatements);
  for (const { name, statement } of indexes) await step(name, [statement]);
  await step('analyze', ['vacuum analyze', 'checkpoint']);
}

/** Creates the accounts and keys. */
export async function makeAccounts({ accounts, keys }: Storage): Promise<void> {
  const createdAt = Date.now() - 2 * dayCount * dayLength;
  for (let number = 0; number < accountCount; number += 1) {
    await accounts.create({
      id: accountId(number),
      name: `Account ${number}`,
      kind: 'personal',
      billingMode: 'prepaid',
      freeLimitExempt: false,
      inflightExempt: false,
      zeroRetention: false,
      contentLogging: false,
      disabled: false,
      defaultWorkspaceId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      createdAt,
    });
  }
  for (let number = 0; number < keyCount; number += 1) {
    const account = number % accountCount;
    await keys.create({
      ...plainKeySettings,
      hash: keyHash(number),
      accountId: accountId(account),
      workspaceId: number % 2 === 0 ? null : `00000000-0000-4000-8000-${String(account).padStart(12, '0')}`,
      kind: 'inference',
      name: `Key ${number}`,
      label: `sk-hg-v1-${String(number).padStart(4, '0')}...xyz`,
      disabled: false,
      limit: nanoFromInteger(10n ** 15n),
      limitReset: (['daily', 'weekly', 'monthly', null] as const)[number % 4] ?? null,
      includeByokInLimit: false,
      expiresAt: null,
      creatorUserId: null,
      externalUser: null,
      createdAt: createdAt + number,
      updatedAt: null,
    });
  }
}

/** A purchase per month, and credit that expires next year. */
export async function buyCredits({ ledger }: Storage): Promise<void> {
  const now = Date.now();
  for (let number = 0; number < accountCount; number += 1) {
    for (let entry = 0; entry < 13; entry += 1) {
      await ledger.append({
        id: `entry-${number}-${entry}`,
        accountId: accountId(number),
        type: entry === 12 ? 'grant' : 'purchase',
        amount: nanoFromInteger(10n ** 15n),
        fee: zeroUsd,
        countsAsPurchase: entry < 12,
        expiresAt: entry === 12 ? now + dayCount * dayLength : null,
        externalRef: `invoice-${entry}`,
        relatedId: null,
        note: null,
        createdBy: null,
        createdAt: now,
      });
    }
  }
}

/** The id of an account by its number; those with low numbers make most calls. */
export function accountId(number: number): string {
  return `user_${String(number * 7919).padStart(22, '0')}`;
}

/** The hash of a key by its number: its account is `number % accountCount`; low numbers make most calls. */
export function keyHash(number: number): string {
  return ((BigInt(number + 1) * 0x9e3779b97f4a7c15f39cc0605cedc834n) % 2n ** 128n)
    .toString(16)
    .padStart(32, '0')
    .repeat(2);
}
