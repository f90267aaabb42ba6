import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type ByokTerms, byokFee } from '../../core/byok-fee.ts';
import { nanoFromInteger } from '../../core/money.ts';
import { dayLength, utcMonth } from '../../util/utc-windows.ts';
import {
  amountAt,
  type Charge,
  type ChargeRow,
  chargeColumns,
  chargePlace,
  isLapsed,
  monthOfCharge,
  readChargeLine,
  readChargeLines,
} from '../sql/charge-columns.ts';
import { spanLength, spans, sumCounts, sumKinds } from '../sql/usage-sums.ts';
import { keepsQuarters, quarterLength } from '../sql/values.ts';
import { PendingSums } from './pending-sums.ts';

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

  /** Inserts the charges in texts of charge lines; one whose id is known already changes nothing. */
  write(texts: Iterable<string>): void {
    const sums = new BatchSums();
    for (const lines of texts) {
      for (const row of readChargeLines(lines)) {
        if (Number(this.#insert.run(...row).changes) > 0) sums.add(row);
      }
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
  writeWithFees(charges: readonly Charge[]): readonly bigint[] {
    const rows: ChargeRow[] = [];
    const amounts = charges.map(({ line, terms }) => {
      const row = readChargeLine(line);
      const known = costOf(this.#findCost.get(row[chargePlace.id] ?? null));
      if (known !== undefined) return known;
      const charge = amountAt(row, chargePlace.cost) + (terms === undefined ? 0n : this.#feeOf(row, terms));
      const booked = row.with(chargePlace.cost, charge);
      if (Number(this.#insert.run(...booked).changes) === 0) return charge;
      const sums = new BatchSums();
      sums.add(booked);
      this.#addSums(sums);
      rows.push(booked);
      return charge;
    });
    this.#usage.add(rows);
    return amounts;
  }

  #feeOf(row: ChargeRow, terms: ByokTerms): bigint {
    const month = this.#findMonth.get(row[chargePlace.account] ?? null, monthOfCharge(row));
    const before = nanoFromInteger(costOf(month) ?? 0n);
    return byokFee(nanoFromInteger(amountAt(row, chargePlace.listCost)), before, terms);
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

/** Calls and sums that are kept in memory until they are written. */
const mostCalls = 4_096;
const mostSums = 200;

const [quarter, day] = spans;
/** Quotes inside of texts are escaped, so a member's name in quotes is nothing but that. */
const has = (member: string) => `instr(details, '"${member}":') > 0`;
const several = `instr(substr(details, instr(details, '"tag":"') + 1), '"tag":"') > 0`;

/** What each call adds, in the order of `sumCounts`. */
const counts = [
  'count(*)',
  `sum(${has('errorType')})`,
  `sum(${has('cancelled')})`,
  `sum(${several})`,
  `sum(${has('streamed')})`,
  'sum(is_byok)',
  `sum(${has('unpriced')})`,
  `sum(${has('usageEstimated')})`,
  ...['input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens'].map(
    (name) => `coalesce(sum(${name}), 0)`,
  ),
  'sum(cost)',
  'sum(list_cost)',
  'coalesce(sum(list_cost) filter (where is_byok = 1), 0)',
];

/** Calls that are not in the sums yet. */
const unfolded = `
  rowid > (select last_row from usage_folded) or rowid in (select row_id from usage_late)`;

const kinds = sumKinds.filter((name) => name !== 'span' && name !== 'start');
const columns = [...sumKinds, ...sumCounts].join(', ');
/** Sums of a quarter of an hour; those of a day are made of them. */
const fold = `
  with quarters as materialized (
    select account_id, settled_at / ${spanLength(quarter)} as start, key_hash,
      coalesce(workspace_id, '') as workspace_id, coalesce(model, requested_model) as model,
      coalesce(provider, '') as provider, coalesce(endpoint_tag, '') as endpoint_tag,
      case when ${has('errorType')} then coalesce(details ->> 'errorType', '') else '' end as error_type,
      ${counts.map((count, index) => `${count} as ${sumCounts[index]}`).join(', ')}
    from generations where (${unfolded}) and not ${isLapsed()}
    group by 1, 2, 3, 4, 5, 6, 7, 8
  )
  insert into usage_sums (${columns})
    select account_id, ${quarter}, start, ${kinds.slice(1).join(', ')}, ${sumCounts.join(', ')} from quarters
    union all
    select account_id, ${day}, start / ${day / quarter} as day, ${kinds.slice(1).join(', ')},
      ${sumCounts.map((name) => `sum(${name})`).join(', ')}
    from quarters where true group by day, ${kinds.join(', ')}
  on conflict do update set ${sumCounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

const addSum = `
  insert into usage_sums (${columns}) values (${[...sumKinds, ...sumCounts].map(() => '?').join(', ')})
  on conflict do update set ${sumCounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

/**
 * Adds calls to the sums that reports read, some thousand at a time: one write for each sum and batch would take as long
 * as a third of booking it (decision 49). Code that reads sums must fold first. The caller owns the transaction.
 */
class UsageFold {
  readonly #foldAll: StatementSync;
  readonly #add: StatementSync;
  readonly #move: StatementSync;
  readonly #forgetLate: StatementSync;
  readonly #look: StatementSync;
  /** What was booked since the sums end; undefined where that is not known, and the database is read instead. */
  #pending: { readonly sums: PendingSums; readonly after: number } | undefined;

  /** @throws when the schema is not there yet. */
  constructor(database: DatabaseSync) {
    this.#foldAll = database.prepare(fold);
    this.#add = database.prepare(addSum);
    this.#move = database.prepare(
      'update usage_folded set last_row = (select coalesce(max(rowid), 0) from generations)',
    );
    this.#forgetLate = database.prepare('delete from usage_late');
    this.#look = database.prepare(
      `select last_row, (select coalesce(max(rowid), 0) from generations) as newest,
        (select count(*) from usage_late) as late from usage_folded`,
    );
  }

  /** Whether calls wait that are not in the sums yet. */
  get isDue(): boolean {
    const { after, newest, late } = this.#state();
    return newest > after || late > 0;
  }

  /** Notes calls that were just booked. */
  add(rows: readonly ChargeRow[]): void {
    if (rows.length === 0) return;
    const sums = this.#pending?.sums;
    if (sums === undefined) {
      this.fold();
      return;
    }
    for (const row of rows) sums.add(row);
    if (sums.calls >= mostCalls || sums.size >= mostSums) this.fold();
  }

  /** Forgets what was noted, because its transaction was rolled back. The database knows. */
  forget(): void {
    this.#pending = undefined;
  }

  /** Adds all calls that wait. */
  fold(): void {
    const { after, newest, late } = this.#state();
    const { sums } = this.#pending ?? {};
    // Another process may have booked calls or added some, and true charges take the place of lapsed ones.
    if (sums !== undefined && this.#pending?.after === after && newest - after === sums.calls && late === 0) {
      for (const row of sums.rows()) this.#add.run(...row);
    } else {
      this.#foldAll.run();
      this.#forgetLate.run();
    }
    this.#move.run();
    this.#pending = { sums: new PendingSums(), after: newest };
  }

  #state(): { readonly after: number; readonly newest: number; readonly late: number } {
    const row = this.#look.get();
    return { after: Number(row?.last_row), newest: Number(row?.newest), late: Number(row?.late) };
  }
}
