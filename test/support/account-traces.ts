import { chargeLine } from '../../src/storage/charges/charge.ts';
import { generation, usd } from '../conformance/fixtures.ts';

/** A table as an engine describes it. */
export interface DescribedTable {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly isText: boolean }[];
}

/** What rows of a test say wherever they can say anything. */
export const trace = 'trace-of-an-account';

/** Tables that have nothing of any account. */
const ofNobody: ReadonlySet<string> = new Set([
  ...['migrations', 'limit_calendar', 'master_key', 'processes', 'usage_folded', 'usage_late', 'kept_calls'],
  // Booked before anything else is done.
  'pending_charges',
]);

/** Texts that are read as JSON before anything is deleted. */
const settings = ['generations.details', 'accounts.privacy', 'accounts.rates', 'accounts.plugin_defaults'];

/**
 * Statements that put a row into every table which can name an account, with a trace of it in every text. A table that is
 * added later gets one too.
 */
export function leaveTraces(
  tables: readonly DescribedTable[],
  { id, keyHash }: { readonly id: string; readonly keyHash: string },
): readonly string[] {
  const special: Readonly<Record<string, string>> = {
    'accounts.id': id,
    'api_keys.hash': keyHash,
    'key_secrets.hash': `${trace}-secret`,
    'alerts.subject': `key ${keyHash}`,
    'dashboard_sessions.principals': `[{"keyHash":"${keyHash}"}]`,
    'dashboard_sessions.key_hash': 'another key of the same person',
    'jobs.result': `account ${id}: a difference`,
    // More than a total can hold: no engine books it.
    'held_charges.line': chargeLine(generation({ accountId: id, keyHash, cost: usd(2n ** 63n - 1n) })),
    ...Object.fromEntries(settings.map((column) => [column, '{}'])),
  };
  const value = (table: string, { name, isText }: DescribedTable['columns'][number]) => {
    const known = special[`${table}.${name}`] ?? { account_id: id, key_hash: keyHash }[name];
    if (known !== undefined) return `'${known}'`;
    // Of every other row of the test the numbers are the same, so that one names the other.
    return isText ? `'${trace}'` : '1';
  };
  return tables
    .filter(({ table }) => !ofNobody.has(table))
    .toSorted((one, other) => Number(other.table === 'accounts') - Number(one.table === 'accounts'))
    .map(({ table, columns }) => {
      const names = columns.map(({ name }) => name).join(', ');
      return `insert into ${table} (${names}) values (${columns.map((column) => value(table, column)).join(', ')})`;
    });
}

/** The rows that name an account or have a trace of it, each behind the name of its table. */
export function tracesIn(
  rows: readonly { readonly table: string; readonly row: object }[],
  { id, keyHash }: { readonly id: string; readonly keyHash: string },
): readonly string[] {
  return rows
    .map(({ table, row }) => `${table} ${Object.values(row).map(String).join(' | ')}`)
    .filter((text) => [id, keyHash, trace].some((one) => text.includes(one)));
}
