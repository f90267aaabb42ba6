import { rawSql } from '../sql/statement.ts';

/** The tables a charge may be written to, each with a column of its key. */
const booked = {
  generations: 'id',
  byok_months: 'month',
  account_totals: 'account_id',
  key_spend: 'day',
  key_spend_quarters: 'quarter',
  key_totals: 'key_hash',
  daily_usage: 'day',
  held_charges: 'id',
};

/** The tables that are read before a request is let in, besides those. */
const read = [
  'accounts',
  'workspaces',
  'api_keys',
  'provider_credentials',
  'master_key',
  'ledger_entries',
  'limit_calendar',
];

const writes = Object.entries(booked).flatMap(([table, column]) => [
  `into_${table} as (insert into ${table} select * from ${table} where false)`,
  `of_${table} as (update ${table} set ${column} = ${column} where false)`,
]);

/**
 * Changes nothing and finds nothing, and is refused or held up by all that would refuse or hold up a request: a server that
 * has become read-only, as an old primary has after a failover, a privilege or a table that is gone, a table that is locked.
 */
export const probe = rawSql(
  `with ${writes.join(', ')} ${read.map((table) => `select 1 from ${table} where false`).join(' union all ')}`,
);
