import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type ChargeRow, isLapsed } from '../sql/charge-columns.ts';
import { spanLength, spans, sumCounts, sumKinds } from '../sql/usage-sums.ts';
import { PendingSums } from './pending-sums.ts';

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
export class UsageFold {
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
