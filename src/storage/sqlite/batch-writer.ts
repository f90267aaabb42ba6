import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { generationColumns } from '../sql/generation-row.ts';
import type { SqlValue } from '../sql/statement.ts';
import { utcDay } from '../sql/windows.ts';

type Row = readonly SqlValue[];

/** What a batch adds to a key in one day. */
interface DaySpend {
  readonly keyHash: string;
  readonly day: number;
  charge: bigint;
  byok: bigint;
}

const place = {
  account: generationColumns.indexOf('account_id'),
  key: generationColumns.indexOf('key_hash'),
  settledAt: generationColumns.indexOf('settled_at'),
  isByok: generationColumns.indexOf('is_byok'),
  cost: generationColumns.indexOf('cost'),
  listCost: generationColumns.indexOf('list_cost'),
};

/**
 * Books batches of generations. The caller owns the transaction. Counters grow only by generations that
 * were not booked before, and are added up over the batch first, so that a counter is written once a batch.
 */
export class BatchWriter {
  readonly #insert: StatementSync;
  readonly #addCharge: StatementSync;
  readonly #addDay: StatementSync;
  readonly #addTotal: StatementSync;

  /** @throws when the schema is not there yet. */
  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `insert into generations (${generationColumns.join(', ')})
       values (${generationColumns.map(() => '?').join(', ')}) on conflict (id) do nothing`,
    );
    this.#addCharge = database.prepare(
      `insert into account_totals (account_id, charges_total) values (?, ?)
       on conflict (account_id) do update set charges_total = charges_total + excluded.charges_total`,
    );
    this.#addDay = database.prepare(
      `insert into key_spend (key_hash, day, charge, byok) values (?, ?, ?, ?)
       on conflict (key_hash, day) do update set charge = charge + excluded.charge, byok = byok + excluded.byok`,
    );
    this.#addTotal = database.prepare(
      `insert into key_totals (key_hash, charge, byok) values (?, ?, ?)
       on conflict (key_hash) do update set charge = charge + excluded.charge, byok = byok + excluded.byok`,
    );
  }

  /** Inserts rows of `generationColumns`; one whose id is known already changes nothing. */
  write(rows: readonly Row[]): void {
    const charges = new Map<string, bigint>();
    const spends = new Map<string, DaySpend>();
    for (const row of rows) {
      if (Number(this.#insert.run(...row).changes) === 0) continue;
      addCharge(charges, row);
      addSpend(spends, row);
    }
    for (const [account, charge] of charges) this.#addCharge.run(account, charge);
    for (const { keyHash, day, charge, byok } of spends.values()) {
      this.#addDay.run(keyHash, day, charge, byok);
      this.#addTotal.run(keyHash, charge, byok);
    }
  }
}

function addCharge(charges: Map<string, bigint>, row: Row): void {
  const account = String(row[place.account]);
  charges.set(account, (charges.get(account) ?? 0n) + amount(row[place.cost]));
}

function addSpend(spends: Map<string, DaySpend>, row: Row): void {
  const keyHash = String(row[place.key]);
  const day = utcDay(Number(row[place.settledAt]));
  const name = `${day} ${keyHash}`;
  let spend = spends.get(name);
  if (spend === undefined) {
    spend = { keyHash, day, charge: 0n, byok: 0n };
    spends.set(name, spend);
  }
  spend.charge += amount(row[place.cost]);
  if (row[place.isByok] === 1) spend.byok += amount(row[place.listCost]);
}

function amount(value: SqlValue | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}
