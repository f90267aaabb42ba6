import { type ByokTerms, byokFee } from '../../core/byok-fee.ts';
import { nanoFromInteger } from '../../core/money.ts';
import type { Amounts, ChargeWriter } from '../charges/writer.ts';
import {
  amountAt,
  type Charge,
  type ChargeRow,
  chargePlace,
  isLapsed,
  monthOfCharge,
  readChargeLine,
} from '../sql/charge-columns.ts';
import type { SqlConnection } from '../sql/database.ts';
import { rawSql, sql } from '../sql/statement.ts';
import { bookCharges } from './book-charges.ts';
import type { Connections } from './connections.ts';
import { type DatabaseTimeouts, PostgresDatabase } from './postgres-database.ts';

/** A charge of an own credential with the values its fee depends on. */
interface ReadCharge {
  readonly line: string;
  readonly terms: ByokTerms;
  readonly id: string;
  readonly account: string;
  readonly month: number;
  readonly row: ChargeRow;
}

/** Writes charges into PostgreSQL. */
export class PostgresChargeWriter implements ChargeWriter {
  readonly #database: PostgresDatabase;
  readonly #lockTimeout: number;

  constructor(connections: Connections, timeouts: DatabaseTimeouts) {
    this.#database = new PostgresDatabase(connections, timeouts);
    this.#lockTimeout = timeouts.lock;
  }

  /** See `ChargeWriter.write`. Those with fees are a transaction of their own, because they hold months first. */
  async write(charges: readonly Charge[]): Promise<Amounts> {
    let plain = '';
    const withFees: ReadCharge[] = [];
    for (const { line, terms } of charges) {
      if (terms === undefined) plain += line;
      else withFees.push(readCharge(line, terms));
    }
    if (plain !== '') await this.#database.rows(bookCharges(plain, this.#lockTimeout));
    if (withFees.length === 0) return undefined;
    const amounts = (await this.#writeFees(withFees)).values();
    return charges.map(({ terms }) => (terms === undefined ? undefined : amounts.next().value));
  }

  #writeFees(read: readonly ReadCharge[]): Promise<readonly bigint[]> {
    return this.#database.transaction(async (transaction) => {
      const months = await holdMonths(transaction, read);
      const amounts = await knownCharges(transaction, read);
      let lines = '';
      for (const charge of read) {
        if (amounts.has(charge.id)) continue;
        const { row, terms } = charge;
        const name = monthOf(charge);
        const before = months.get(name) ?? 0n;
        const listCost = amountAt(row, chargePlace.listCost);
        const fee = byokFee(nanoFromInteger(listCost), nanoFromInteger(before), terms);
        const amount = amountAt(row, chargePlace.cost) + fee;
        months.set(name, before + listCost);
        amounts.set(charge.id, amount);
        lines += withCost(charge.line, amount);
      }
      if (lines !== '') await transaction.rows(bookCharges(lines, this.#lockTimeout));
      return read.map(({ id }) => amounts.get(id) ?? 0n);
    });
  }
}

/** Holds the months the charges belong to until the transaction ends, and says what they have come to. */
async function holdMonths(
  transaction: SqlConnection,
  charges: readonly ReadCharge[],
): Promise<Map<string, bigint>> {
  const months = new Map<string, bigint>();
  const distinct = new Map(charges.map((charge) => [monthOf(charge), charge]));
  for (const [name, { account, month }] of [...distinct].sort(([, a], [, b]) => byAccountAndMonth(a, b))) {
    const [row] = await transaction.rows<{ readonly list_cost: bigint }>(sql`
      insert into byok_months (account_id, month, list_cost) values (${account}, ${month}, 0)
      on conflict (account_id, month) do update set list_cost = byok_months.list_cost returning list_cost`);
    months.set(name, row?.list_cost ?? 0n);
  }
  return months;
}

/** What those of the charges that are booked already were charged, by id. */
async function knownCharges(
  transaction: SqlConnection,
  charges: readonly ReadCharge[],
): Promise<Map<string, bigint>> {
  const ids = JSON.stringify(charges.map(({ id }) => id));
  const rows = await transaction.rows<{ readonly id: string; readonly cost: bigint }>(sql`
    select id, cost from generations
    where id in (select jsonb_array_elements_text(cast(${ids} as jsonb))) and not ${rawSql(isLapsed())}`);
  return new Map(rows.map(({ id, cost }) => [id, cost]));
}

function readCharge(line: string, terms: ByokTerms): ReadCharge {
  const row = readChargeLine(line);
  return {
    line,
    terms,
    row,
    id: String(row[chargePlace.id]),
    account: String(row[chargePlace.account]),
    month: monthOfCharge(row),
  };
}

function monthOf({ account, month }: ReadCharge): string {
  return `${month} ${account}`;
}

function byAccountAndMonth(first: ReadCharge, second: ReadCharge): number {
  if (first.account !== second.account) return first.account < second.account ? -1 : 1;
  return first.month - second.month;
}

/** The same charge line with another cost. */
function withCost(line: string, cost: bigint): string {
  const tab = line.indexOf('\t');
  const columns = JSON.parse(line.slice(0, tab)) as unknown[];
  columns[chargePlace.cost] = cost.toString();
  return `${JSON.stringify(columns)}${line.slice(tab)}`;
}
