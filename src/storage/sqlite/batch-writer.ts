import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { byokFee } from '../../core/byok-fee.ts';
import { nanoFromInteger } from '../../core/money.ts';
import { dayLength, utcMonth } from '../../util/utc-windows.ts';
import type { ByokCharge } from '../sql/byok-charge.ts';
import {
  amountAt,
  type ChargeRow,
  chargeColumns,
  chargePlace,
  isLapsed,
  monthOfCharge,
  readChargeLine,
  readChargeLines,
} from '../sql/charge-columns.ts';
import { keepsQuarters, quarterLength } from '../sql/spend-quarters.ts';
import { UsageFold } from './fold-usage.ts';

/** What a batch adds to an account and a key of it in one quarter of an hour. */
interface QuarterSpend {
  readonly account: string;
  readonly keyHash: string;
  readonly quarter: number;
  charge: bigint;
  byok: bigint;
  /** When its last call was settled, Unix milliseconds. */
  lastUsedAt: number;
}

/**
 * Books batches of charges. The caller owns the transaction. Counters grow only by charges that were not
 * booked before, and are added up over the batch first, so that a counter is written once a batch. The record of a
 * lapsed call, which cost nothing, gives way to the true one in whatever order they come.
 */
export class BatchWriter {
  readonly #insert: StatementSync;
  readonly #addCharge: StatementSync;
  readonly #addDay: StatementSync;
  readonly #addQuarter: StatementSync;
  readonly #keepsQuarters: StatementSync;
  readonly #addTotal: StatementSync;
  readonly #addMonth: StatementSync;
  readonly #findMonth: StatementSync;
  readonly #findCost: StatementSync;
  readonly #usage: UsageFold;

  /** @throws when the schema is not there yet. */
  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `insert into generations (${chargeColumns.join(', ')})
       values (${chargeColumns.map(() => '?').join(', ')})
       on conflict (id) do update set ${chargeColumns.map((name) => `${name} = excluded.${name}`).join(', ')}
       where ${isLapsed()} and not ${isLapsed('excluded')}`,
    );
    this.#addCharge = database.prepare(
      `insert into account_totals (account_id, charges_total) values (?, ?)
       on conflict (account_id) do update set charges_total = charges_total + excluded.charges_total`,
    );
    this.#addDay = database.prepare(
      `insert into key_spend (key_hash, day, charge, byok) values (?, ?, ?, ?)
       on conflict (key_hash, day) do update set charge = charge + excluded.charge, byok = byok + excluded.byok`,
    );
    this.#addQuarter = database.prepare(
      `insert into key_spend_quarters (key_hash, quarter, charge, byok) values (?, ?, ?, ?)
       on conflict (key_hash, quarter) do update set charge = charge + excluded.charge, byok = byok + excluded.byok`,
    );
    this.#keepsQuarters = database.prepare(keepsQuarters);
    this.#addTotal = database.prepare(
      `insert into key_totals (key_hash, charge, byok, last_used_at) values (?, ?, ?, ?)
       on conflict (key_hash) do update set charge = charge + excluded.charge, byok = byok + excluded.byok,
         last_used_at = max(coalesce(last_used_at, 0), excluded.last_used_at)`,
    );
    this.#addMonth = database.prepare(
      `insert into byok_months (account_id, month, list_cost) values (?, ?, ?)
       on conflict (account_id, month) do update set list_cost = list_cost + excluded.list_cost`,
    );
    this.#usage = new UsageFold(database);
    this.#findMonth = database.prepare(
      'select list_cost from byok_months where account_id = ? and month = ?',
    );
    this.#findMonth.setReadBigInts(true);
    this.#findCost = database.prepare(`select cost from generations where id = ? and not ${isLapsed()}`);
    this.#findCost.setReadBigInts(true);
  }

  /** Inserts the charges in a text of charge lines; one whose id is known already changes nothing. */
  write(lines: string): void {
    const sums = new BatchSums();
    for (const row of readChargeLines(lines)) {
      if (Number(this.#insert.run(...row).changes) > 0) sums.add(row);
    }
    this.#addSums(sums);
    this.#usage.add(sums.rows);
  }

  /** Whether calls wait to be added to the sums that reports read. */
  get isFoldDue(): boolean {
    return this.#usage.isDue;
  }

  /** Forgets what was booked in a transaction that was rolled back. */
  rolledBack(): void {
    this.#usage.forget();
  }

  /** Adds the calls that wait to the sums that reports read. */
  fold(): void {
    this.#usage.fold();
  }

  /**
   * Inserts charges with the fee that the month of their account asks for, one after the other, and returns what each
   * was charged; one whose id is known already changes nothing and was charged what it was then.
   */
  writeByok(charges: readonly ByokCharge[]): readonly bigint[] {
    const rows: ChargeRow[] = [];
    const fees = charges.map(({ line, terms }) => {
      const row = readChargeLine(line);
      const known = costOf(this.#findCost.get(row[chargePlace.id] ?? null));
      if (known !== undefined) return known;
      const account = row[chargePlace.account] ?? null;
      const before = costOf(this.#findMonth.get(account, monthOfCharge(row))) ?? 0n;
      const listCost = nanoFromInteger(amountAt(row, chargePlace.listCost));
      const charge = amountAt(row, chargePlace.cost) + byokFee(listCost, nanoFromInteger(before), terms);
      const booked = row.with(chargePlace.cost, charge);
      this.#insert.run(...booked);
      const sums = new BatchSums();
      sums.add(booked);
      this.#addSums(sums);
      rows.push(booked);
      return charge;
    });
    this.#usage.add(rows);
    return fees;
  }

  #addSums(sums: BatchSums): void {
    for (const [account, charge] of sums.charges()) this.#addCharge.run(account, charge);
    const keeps = this.#keepsQuarters.get() !== undefined;
    for (const { account, keyHash, quarter, charge, byok, lastUsedAt } of sums.spends) {
      const day = Math.floor((quarter * quarterLength) / dayLength);
      this.#addDay.run(keyHash, day, charge, byok);
      if (keeps && (charge !== 0n || byok !== 0n)) this.#addQuarter.run(keyHash, quarter, charge, byok);
      this.#addTotal.run(keyHash, charge, byok, lastUsedAt);
      if (byok !== 0n) this.#addMonth.run(account, utcMonth(day), byok);
    }
  }
}

/** What a batch adds to the counters. */
class BatchSums {
  readonly rows: ChargeRow[] = [];
  readonly #spends = new Map<string, QuarterSpend>();
  /** Where the last charge was added: charges of one key mostly come together. */
  #last: QuarterSpend | undefined;

  get spends(): Iterable<QuarterSpend> {
    return this.#spends.values();
  }

  /** The sum of each account. */
  charges(): ReadonlyMap<string, bigint> {
    const charges = new Map<string, bigint>();
    for (const { account, charge } of this.#spends.values()) {
      charges.set(account, (charges.get(account) ?? 0n) + charge);
    }
    return charges;
  }

  add(row: ChargeRow): void {
    const settledAt = Number(row[chargePlace.settledAt]);
    const spend = this.#at(
      String(row[chargePlace.account]),
      String(row[chargePlace.key]),
      Math.floor(settledAt / quarterLength),
    );
    spend.lastUsedAt = Math.max(spend.lastUsedAt, settledAt);
    spend.charge += amountAt(row, chargePlace.cost);
    if (row[chargePlace.isByok] === 1) spend.byok += amountAt(row, chargePlace.listCost);
    this.rows.push(row);
  }

  #at(account: string, keyHash: string, quarter: number): QuarterSpend {
    const last = this.#last;
    if (last?.keyHash === keyHash && last.quarter === quarter && last.account === account) return last;
    const name = `${quarter} ${account} ${keyHash}`;
    const spend = this.#spends.get(name) ?? {
      account,
      keyHash,
      quarter,
      charge: 0n,
      byok: 0n,
      lastUsedAt: 0,
    };
    this.#spends.set(name, spend);
    this.#last = spend;
    return spend;
  }
}

/** The amount in the only column of a row. */
function costOf(row: object | undefined): bigint | undefined {
  const [value] = Object.values(row ?? {});
  return typeof value === 'bigint' ? value : undefined;
}
