import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd } from '../conformance/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { hold, TroubledPostgres } from '../support/troubled-postgres.ts';

const postgres = new TroubledPostgres();

/** Tables of which each request reads or writes some. */
const tables = [
  'accounts',
  'account_totals',
  'api_keys',
  'byok_months',
  'daily_usage',
  'generations',
  'key_spend',
  'key_spend_quarters',
  'key_totals',
  'ledger_entries',
  'limit_calendar',
  'master_key',
  'provider_credentials',
  'workspaces',
];
const written = [
  'account_totals',
  'byok_months',
  'daily_usage',
  'generations',
  'held_charges',
  'key_spend',
  'key_spend_quarters',
  'key_totals',
];

test('a privilege that is gone is found out by asking how the database is, before anybody has to be charged', async (t) => {
  const { storage, name, reopen } = await postgres.open(t);
  await storage.close();
  const run = (statement: string) => postgres.server.run(statement, name);
  await run(`create role limited login password 'limited'`);
  t.after(() => postgres.server.run('drop owned by limited; drop role limited', name));
  await run('grant usage on schema public to limited');
  await run('grant select, insert, update, delete on all tables in schema public to limited');
  const url = new URL(postgres.server.url(name));
  url.username = 'limited';
  url.password = 'limited';
  const limited = await reopen({}, url.href);
  await limited.ping();
  const lost = [
    ...tables.map((table) => ['select', table]),
    ...written.flatMap((table) => [
      ['insert', table],
      ['update', table],
    ]),
  ];
  for (const [privilege = '', table = ''] of lost) {
    await run(`revoke ${privilege} on ${table} from limited`);
    await assert.rejects(
      limited.ping(),
      ({ cause }: Error) => {
        assert.match(String(cause), new RegExp(`permission denied for table ${table}`));
        return true;
      },
      `${privilege} on ${table}`,
    );
    await run(`grant ${privilege} on ${table} to limited`);
    await limited.ping();
  }
  await limited.ledger.settle(generation({ accountId: 'org_a', cost: usd(3) }));
  assert.equal((await limited.ledger.balance('org_a')).spentTotal, 3n);
});

test('a table that somebody locks is found out by asking how the database is, and that it was let go', async (t) => {
  const { storage, name } = await postgres.open(t);
  for (const lock of [
    'key_totals in share mode',
    'daily_usage in share mode',
    'api_keys in access exclusive mode',
  ]) {
    const client = await hold(postgres.server, name, `lock table ${lock}`);
    await assert.rejects(storage.ping(), { code: 'service_unavailable' }, lock);
    await client.end();
    await eventually('it answers again', () =>
      storage.ping().then(
        () => true,
        () => false,
      ),
    );
  }
});
