import type { ByokTerms } from '../../core/byok-fee.ts';
import { nanoFromInteger } from '../../core/money.ts';
import { utcDay, utcMonth } from '../../util/utc-windows.ts';
import type { SqlValue } from './statement.ts';

/**
 * The columns of `generations` in the order a charge lists them: what balances, windows and reports are made
 * of. Everything else about a call is one JSON text, `details`, because it is only ever read with its record.
 */
export const chargeColumns = [
  'id',
  'account_id',
  'key_hash',
  'workspace_id',
  'created_at',
  'settled_at',
  'requested_model',
  'model',
  'provider',
  'endpoint_tag',
  'is_byok',
  'input_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost',
  'list_cost',
  'cached_tokens',
  'request_id',
  'details',
] as const;

/**
 * SQL that says whether a row's `details` are of a lapsed call, which its true charge replaces: text of every engine, for
 * `chargeLine` writes this member first.
 */
export function isLapsed(row = 'generations'): string {
  return `${row}.details like '{"lapsed":true%'`;
}

/** A charge as the values of `chargeColumns`. Amounts no number can hold exactly are bigint. */
export type ChargeRow = readonly SqlValue[];

/** Where a charge holds what counters grow by. */
export const chargePlace = {
  id: chargeColumns.indexOf('id'),
  account: chargeColumns.indexOf('account_id'),
  key: chargeColumns.indexOf('key_hash'),
  settledAt: chargeColumns.indexOf('settled_at'),
  isByok: chargeColumns.indexOf('is_byok'),
  cost: chargeColumns.indexOf('cost'),
  listCost: chargeColumns.indexOf('list_cost'),
  workspace: chargeColumns.indexOf('workspace_id'),
  requestedModel: chargeColumns.indexOf('requested_model'),
  model: chargeColumns.indexOf('model'),
  provider: chargeColumns.indexOf('provider'),
  endpoint: chargeColumns.indexOf('endpoint_tag'),
  input: chargeColumns.indexOf('input_tokens'),
  cached: chargeColumns.indexOf('cached_tokens'),
  output: chargeColumns.indexOf('output_tokens'),
  reasoning: chargeColumns.indexOf('reasoning_tokens'),
  details: chargeColumns.indexOf('details'),
};

/** A charge on its way to the ledger. */
export interface Charge {
  /** See `chargeLine`. */
  readonly line: string;
  /** Of its fee, which depends on what the month of its account has come to so far; undefined where there is none. */
  readonly terms?: ByokTerms | undefined;
}

/** Terms as JSON keeps them. */
export interface StoredTerms {
  readonly feeBasisPoints: number;
  /** Decimal: JSON has no exact integers of this size. */
  readonly monthlyAllowance: string;
}

/** Reads a line that waited (see `waitingLine`). */
export function readWaitingLine(text: string): Charge {
  const end = text.indexOf('\t', text.indexOf('\t') + 1);
  if (end === -1) return { line: text };
  const { feeBasisPoints, monthlyAllowance } = JSON.parse(text.slice(end + 1)) as StoredTerms;
  return {
    line: `${text.slice(0, end)}\n`,
    terms: { feeBasisPoints, monthlyAllowance: nanoFromInteger(BigInt(monthlyAllowance)) },
  };
}

/** A text of lines as single ones, each with its line feed. */
export function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

/** The charges in a text of lines made by `chargeLine`. */
export function readChargeLines(text: string): ChargeRow[] {
  const rows: ChargeRow[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const tab = text.indexOf('\t', start);
    const row = JSON.parse(text.slice(start, tab)) as SqlValue[];
    row[chargePlace.cost] = exact(row[chargePlace.cost]);
    row[chargePlace.listCost] = exact(row[chargePlace.listCost]);
    // A line that an earlier version spooled, which did not know the last columns yet.
    while (row.length < chargeColumns.length - 1) row.push(null);
    row.push(text.slice(tab + 1, end));
    rows.push(row);
    start = end + 1;
  }
  return rows;
}

/** The one charge in a line made by `chargeLine`. */
export function readChargeLine(line: string): ChargeRow {
  const [row] = readChargeLines(line);
  if (row === undefined) throw new Error('A charge line is empty.');
  return row;
}

/** An amount of a charge: the one at `chargePlace.cost` or `chargePlace.listCost`. */
export function amountAt(row: ChargeRow, place: number): bigint {
  return BigInt(row[place] ?? 0);
}

/** The UTC month a charge was settled in, as `utcMonth` counts them. */
export function monthOfCharge(row: ChargeRow): number {
  return utcMonth(utcDay(Number(row[chargePlace.settledAt])));
}

/** An amount beyond what a number holds exactly is written as text. */
function exact(amount: SqlValue | undefined): SqlValue {
  return typeof amount === 'string' ? BigInt(amount) : (amount ?? 0);
}
