import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/ports/clock.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { account, generation, ledgerEntry, usd, wednesday } from './fixtures.ts';

/** A database that somebody else writes to as well. */
export interface TamperedDatabase {
  readonly storage: Storage;
  /** Whether reports read sums of calls by day. */
  readonly keepsDailyUsage: boolean;
  /** Runs a statement and gives its rows, with integers as bigint. */
  run(statement: string): Promise<readonly Row[]>;
  /** The columns of a table; none where this engine has no such table. */
  columnsOf(table: string): Promise<readonly string[]>;
}

type Value = string | bigint | null;
type Row = Readonly<Record<string, Value>>;
/** What a column may be changed to, so that it must be noticed. */
type Changes = (value: Value, row: Row) => readonly Value[];

const hour = 3_600_000;
const day = 24 * hour;

const other: Changes = (value) =>
  typeof value === 'string' && value.startsWith('org_') ? ['org_c'] : ['other'];
const more: Changes = (value) => [BigInt(value ?? 0) + 1n, BigInt(value ?? 0) - 1n];
/** Where the row next to it may have the next number. */
const farther: Changes = (value) => [BigInt(value ?? 0) + 40n, BigInt(value ?? 0) - 40n];
const flipped: Changes = (value) => [value === 0n ? 1n : 0n];
/** Only where a sum depends on it. */
const where =
  (counts: (row: Row) => boolean, changes: Changes): Changes =>
  (value, row) =>
    counts(row) ? changes(value, row) : [];
const paid = (row: Row) => row.cost !== 0n;
/** Nothing else tells what it was: the row is the source. No sum is made of it. */
const source: Changes = () => [];
/** Only where sums by day are kept, which repeat it; a lapsed call is in none of them. */
const repeated =
  (changes: Changes) =>
  (keepsDailyUsage: boolean): Changes =>
    where((row) => keepsDailyUsage && !String(row.details).includes('lapsed'), changes);

/** Every column of every table that money is in. */
const tablesOf = (keepsDailyUsage: boolean): Readonly<Record<string, Readonly<Record<string, Changes>>>> => ({
  account_totals: {
    account_id: other,
    entry_count: more,
    entries_total: more,
    charges_total: more,
    purchased_total: more,
    // One that is too early is put right when it comes.
    next_expiry: where(
      (row) => row.next_expiry !== null,
      (value) => [null, BigInt(value ?? 0) + 1n],
    ),
  },
  key_spend: { key_hash: other, day: farther, charge: more, byok: more },
  key_spend_quarters: { key_hash: other, quarter: farther, charge: more, byok: more },
  key_totals: { key_hash: other, charge: more, byok: more, last_used_at: source },
  byok_months: { account_id: other, month: farther, list_cost: more },
  ledger_entries: {
    account_id: other,
    position: (value) => [BigInt(value ?? 0) + 10n, 0n],
    spent_before: () => [-1n, 1_000_000n],
    amount: more,
    counts_as_purchase: where((row) => row.type !== 'refund' || BigInt(row.amount ?? 0) < 0n, flipped),
    related_id: where(
      (row) => row.type === 'expiry',
      () => ['other'],
    ),
    id: source,
    type: source,
    fee: source,
    expires_at: source,
    external_ref: source,
    note: source,
    created_by: source,
    created_at: source,
  },
  generations: {
    account_id: where(paid, other),
    key_hash: where(paid, other),
    settled_at: where(paid, (value) => [BigInt(value ?? 0) + BigInt(day), BigInt(value ?? 0) - BigInt(day)]),
    is_byok: where(paid, flipped),
    cost: more,
    list_cost: where((row) => row.is_byok === 1n, more),
    workspace_id: repeated(other)(keepsDailyUsage),
    requested_model: source,
    model: repeated(other)(keepsDailyUsage),
    provider: repeated(other)(keepsDailyUsage),
    endpoint_tag: repeated(other)(keepsDailyUsage),
    input_tokens: repeated(more)(keepsDailyUsage),
    output_tokens: repeated(more)(keepsDailyUsage),
    reasoning_tokens: repeated(more)(keepsDailyUsage),
    cached_tokens: repeated(more)(keepsDailyUsage),
    id: source,
    created_at: source,
    request_id: source,
    details: source,
  },
  daily_usage: {
    account_id: other,
    day: farther,
    key_hash: other,
    workspace_id: other,
    model: other,
    requested_model: other,
    provider: other,
    endpoint_tag: other,
    requests: more,
    input_tokens: more,
    cached_tokens: more,
    output_tokens: more,
    reasoning_tokens: more,
    cost: more,
    byok_cost: more,
  },
});

/** Whoever changes a number that sums are made of, or a sum, in any column of any row, is found out by `ledger verify`. */
export function describeTampering(
  name: string,
  open: (clock: Clock, test: { after: (cleanUp: () => Promise<void>) => void }) => Promise<TamperedDatabase>,
): void {
  test(`verify names what was changed in any column that money is in: ${name}`, async (t) => {
    const clock = { time: wednesday, now: () => clock.time };
    const { storage, run, columnsOf, keepsDailyUsage } = await open(clock, t);
    await storage.limitCalendar.agree({ timeZone: 'Europe/Berlin', weekStart: 'monday' }, clock.time);
    await fill(storage, clock);
    const verify = () => storage.ledger.verify();
    assert.deepEqual(await verify(), []);
    for (const [table, columns] of Object.entries(tablesOf(keepsDailyUsage))) {
      const found = await columnsOf(table);
      if (found.length === 0) continue;
      assert.deepEqual(
        [...found].sort(),
        Object.keys(columns).sort(),
        `every column of ${table} is thought of`,
      );
      for (const row of await run(`select * from ${table}`)) {
        for (const [column, changes] of Object.entries(columns)) {
          for (const value of changes(row[column] ?? null, row)) {
            const changed = { ...row, [column]: value };
            await run(update(table, column, row, changed));
            const told = `${table}.${column} ${row[column]} -> ${value}`;
            assert.notDeepEqual(await verify(), [], told);
            await run(update(table, column, changed, row));
          }
        }
      }
    }
    assert.deepEqual(await verify(), []);
  });
}

/** Two accounts with purchases, a refund, a transfer, credit that lapsed and credit that will, and calls of three days. */
async function fill({ accounts, ledger }: Storage, clock: { time: number }): Promise<void> {
  for (const id of ['org_a', 'org_b', 'org_c']) await accounts.create(account({ id }));
  const give = (id: string, change: Partial<Parameters<typeof ledgerEntry>[1]>) =>
    ledger.append(ledgerEntry('org_a', { id, createdAt: clock.time, ...change }));
  let number = 0;
  const settle = (change: Parameters<typeof generation>[0]) => {
    number += 1;
    const usage = { uncachedInput: 3, cacheRead: 2, output: 5, reasoning: 1 };
    const served = { model: 'm', provider: 'p', endpointTag: 'p/x', workspaceId: 'w', usage };
    const owner = { id: `gen-${number}`, accountId: 'org_a', keyHash: 'k', settledAt: clock.time };
    return ledger.settle(generation({ ...served, ...owner, listCost: change?.cost ?? usd(0), ...change }));
  };
  await give('bought', {
    type: 'purchase',
    amount: usd(1000),
    fee: usd(55),
    countsAsPurchase: true,
    externalRef: 'r',
  });
  await give('short', { amount: usd(100), expiresAt: clock.time + hour });
  await give('long', { amount: usd(200), expiresAt: clock.time + 3 * day });
  await give('elsewhere', { accountId: 'org_b', amount: usd(500) });
  await settle({ cost: usd(30) });
  await settle({ cost: usd(7), accountId: 'org_b', keyHash: 'l', workspaceId: null });
  clock.time += day;
  await ledger.expire();
  await give('back', { type: 'refund', amount: usd(-50), relatedId: 'bought', countsAsPurchase: true });
  await settle({ cost: usd(5), listCost: usd(90), isByok: true, model: 'm2' });
  await settle({ cost: usd(11) });
  clock.time += hour;
  await ledger.append(
    ledgerEntry('org_a', { id: 'from', type: 'transfer', amount: usd(-20), relatedId: 'to' }),
    ledgerEntry('org_b', { id: 'to', type: 'transfer', amount: usd(20), relatedId: 'from' }),
  );
  await settle({
    cost: usd(0),
    lapsed: true,
    model: undefined,
    provider: undefined,
    endpointTag: undefined,
    usage: {},
  });
  await ledger.balance('org_a');
}

function update(table: string, column: string, from: Row, to: Row): string {
  const is = Object.entries(from).map(([name, value]) =>
    value === null ? `${name} is null` : `${name} = ${literal(value)}`,
  );
  return `update ${table} set ${column} = ${literal(to[column] ?? null)} where ${is.join(' and ')}`;
}

function literal(value: Value): string {
  if (value === null) return 'null';
  return typeof value === 'bigint' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
