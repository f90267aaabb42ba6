import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Storage } from '../../src/ports/storage.ts';
import { migrations } from '../../src/storage/sql/migrations.ts';
import type { SchemaDialect } from '../../src/storage/sql/schema-dialect.ts';
import { utcDay, utcMonth } from '../../src/util/utc-windows.ts';
import { generation, ledgerEntry, usd, wednesday } from './fixtures.ts';

/** An empty database without a schema, and how an engine spells one. */
export interface BareDatabase {
  readonly dialect: SchemaDialect;
  run(statement: string): Promise<unknown>;
  /** Opens it as this version does; closed when the test is over. */
  open(): Promise<Storage>;
}

const day = utcDay(wednesday);
const dayBefore = wednesday - 86_400_000;
const details = (usage: object) =>
  JSON.stringify({ upstreamId: 'up-1', streamed: true, finishReason: 'stop', usage, attempts: [] });
const lapsedDetails = '{"lapsed":true,"errorType":"server","usage":{},"attempts":[]}';

/** The sums of calls by quarter of an hour and by day, made of all the calls there are. */
function sumsOfCalls({ keepsDailyUsage }: SchemaDialect): string {
  const errorType = keepsDailyUsage
    ? `substring(details from '"errorType":"([^"]*)"')`
    : "details ->> 'errorType'";
  const sum = (value: string) => `cast(coalesce(sum(${value}), 0) as bigint)`;
  const has = (member: string) => sum(`case when details like '%"${member}":%' then 1 else 0 end`);
  return `insert into usage_sums
    select account_id, span, settled_at / length, key_hash, coalesce(workspace_id, ''),
      coalesce(model, requested_model), coalesce(provider, ''), coalesce(endpoint_tag, ''),
      coalesce(${errorType}, ''), count(*), ${has('errorType')}, ${has('cancelled')}, 0, ${has('streamed')},
      ${sum('is_byok')}, ${has('unpriced')}, ${has('usageEstimated')}, ${sum('input_tokens')}, ${sum('cached_tokens')},
      ${sum('output_tokens')}, ${sum('reasoning_tokens')}, ${sum('cost')}, ${sum('list_cost')},
      ${sum('case when is_byok = 1 then list_cost else 0 end')}
    from generations cross join (select 15 as span, 900000 as length union all select 1440, 86400000) as spans
    where not details like '{"lapsed":true%' group by 1, 2, 3, 4, 5, 6, 7, 8, 9`;
}

/** Rows as the version of the first release wrote them. */
function rowsOf(dialect: SchemaDialect): readonly string[] {
  const { keepsDailyUsage } = dialect;
  const call = (values: string, cached: number) =>
    `insert into generations (id, account_id, key_hash, workspace_id, created_at, settled_at, requested_model, model,
      provider, endpoint_tag, is_byok, input_tokens, output_tokens, reasoning_tokens, cost, list_cost, details,
      cached_tokens) values (${values}, ${cached})`;
  return [
    `insert into accounts (id, name, kind, billing_mode, free_limit_exempt, inflight_exempt, zero_retention, disabled,
      default_workspace_id, created_at, privacy)
      values ('org_a', 'Acme', 'organization', 'prepaid', 0, 1, 0, 0, 'w-a', ${wednesday}, '{"training":false}')`,
    `insert into workspaces (id, account_id, name, slug, created_at, settings)
      values ('w-a', 'org_a', 'Default', 'default', ${wednesday}, '{"defaultTextModel":"acme/atlas-4"}')`,
    `insert into api_keys (hash, account_id, workspace_id, kind, name, label, disabled, limit_amount, limit_reset,
      include_byok_in_limit, created_at)
      values ('hash-a', 'org_a', 'w-a', 'inference', 'app', 'sk-hg-v1-abc...xyz', 0, 9000000000, 'daily', 1, ${wednesday}),
        ('hash-m', 'org_a', null, 'management', 'ops', 'sk-hg-v1-mmm...xyz', 0, null, null, 0, ${wednesday})`,
    call(
      `'gen-1', 'org_a', 'hash-a', 'w-a', ${dayBefore - 5}, ${dayBefore}, 'acme/atlas-4', 'acme/atlas-4', 'northgpu',
        'northgpu', 0, 100, 20, 5, 700, 700, '${details({ input: 60, cacheRead: 40, output: 20, reasoning: 5 })}'`,
      40,
    ),
    call(
      `'gen-2', 'org_a', 'hash-a', 'w-a', ${wednesday - 5}, ${wednesday}, 'acme/none', null, null, null, 0, 0, 0, 0, 0, 0,
        '{"errorType":"not_found","usage":{},"attempts":[]}'`,
      0,
    ),
    call(
      `'gen-lapsed', 'org_a', 'hash-a', 'w-a', ${wednesday - 5}, ${wednesday}, 'acme/atlas-4', 'acme/atlas-4', null, null,
        0, 0, 0, 0, 0, 0, '${lapsedDetails}'`,
      0,
    ),
    call(
      `'gen-own', 'org_a', 'hash-a', 'w-a', ${wednesday - 5}, ${wednesday}, 'acme/atlas-4', 'acme/atlas-4',
        'northgpu', 'northgpu', 1, 10, 2, 0, 30, 600, '${details({ input: 10, output: 2 })}'`,
      0,
    ),
    `insert into provider_credentials (id, account_id, workspace_id, provider, name, label, disabled, is_byok_only,
      is_fallback, is_required, declared_zdr, allowed_models, allowed_key_hashes, allowed_user_ids, sort_order,
      created_at, ciphertext, nonce, master_key_id)
      values ('cred-a', 'org_a', 'w-a', 'northgpu', 'ours', 'ng-...9', 0, 0, 1, 0, 1, '["acme/atlas-4"]', null, null, 0,
        ${wednesday}, 'sealed', 'nonce', 'mk-1')`,
    `insert into master_key (slot, id) values (1, 'mk-1')`,
    `insert into byok_months (account_id, month, list_cost) values ('org_a', ${utcMonth(day)}, 600)`,
    `insert into ledger_entries (id, account_id, position, spent_before, type, amount, fee, counts_as_purchase, expires_at,
      external_ref, note, created_by, created_at)
      values ('entry-1', 'org_a', 1, 0, 'purchase', 5000000000, 100, 1, null, 'invoice-1', null, 'cli', ${dayBefore}),
        ('entry-2', 'org_a', 2, 700, 'grant', 1000, 0, 0, ${wednesday + 1000}, null, 'thanks', null, ${wednesday})`,
    `insert into account_totals (account_id, entry_count, entries_total, charges_total, purchased_total, next_expiry)
      values ('org_a', 2, 5000001000, 730, 5000000000, ${wednesday + 1000})`,
    `insert into key_spend (key_hash, day, charge, byok) values ('hash-a', ${day - 1}, 700, 0), ('hash-a', ${day}, 30, 600)`,
    `insert into key_totals (key_hash, charge, byok) values ('hash-a', 730, 600)`,
    ...(keepsDailyUsage
      ? [
          `insert into daily_usage (account_id, day, key_hash, workspace_id, model, requested_model, provider, endpoint_tag,
            requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, byok_cost)
            values ('org_a', ${day - 1}, 'hash-a', 'w-a', 'acme/atlas-4', '', 'northgpu', 'northgpu', 1, 100, 40, 20, 5, 700, 0),
              ('org_a', ${day}, 'hash-a', 'w-a', '', 'acme/none', '', '', 1, 0, 0, 0, 0, 0, 0),
              ('org_a', ${day}, 'hash-a', 'w-a', 'acme/atlas-4', '', 'northgpu', 'northgpu', 1, 10, 0, 2, 0, 30, 600)`,
        ]
      : ['update usage_folded set last_row = (select max(rowid) from generations)']),
    sumsOfCalls(dialect),
  ];
}

async function makeOld(database: BareDatabase, version: number): Promise<readonly string[]> {
  const { dialect, run } = database;
  await run(`create table migrations (name ${dialect.text} primary key not null, applied_at ${dialect.integer} not null)
    ${dialect.tableEnd}`);
  const names = [...migrations.keys()];
  for (const name of names.slice(0, version)) {
    for (const statement of migrations.get(name)?.(dialect) ?? []) await run(statement);
    await run(`insert into migrations values ('${name}', ${wednesday})`);
  }
  for (const statement of dialect.functions ?? []) await run(statement);
  for (const row of rowsOf(dialect)) await run(row);
  return names.slice(version);
}

/** A database of every version since the first release, with data, is one of this version that says the same. */
export function describeUpgrades(name: string, make: (t: TestContext) => Promise<BareDatabase>): void {
  describe(`upgrades: ${name}`, () => {
    for (let version = 1; version <= migrations.size; version += 1) {
      test(`a database with data of migration ${version} says the same after all the others`, async (t) => {
        const database = await make(t);
        const pending = await makeOld(database, version);
        const storage = await database.open();
        assert.deepEqual(await storage.migrate(), pending);
        await saysTheSame(storage);
        await goesOn(storage, 730n);
        const again = await database.open();
        assert.deepEqual(await again.migrate(), []);
        assert.deepEqual(await again.ledger.verify(), []);
      });
    }
  });
}

async function saysTheSame(storage: Storage): Promise<void> {
  const spentTotal = 730n;
  const [owner] = await storage.accounts.list();
  assert.deepEqual([owner?.name, owner?.billingMode, owner?.inflightExempt], ['Acme', 'prepaid', true]);
  assert.deepEqual(owner?.privacy, { training: false });
  assert.deepEqual(await storage.ledger.balance('org_a'), {
    balance: 5_000_001_000n - spentTotal,
    purchasedTotal: 5_000_000_000n,
    spentTotal,
  });
  const known = await storage.keys.findWithAccount('hash-a');
  assert.deepEqual(
    [known?.key.limit, known?.key.limitReset, known?.account.id],
    [9_000_000_000n, 'daily', 'org_a'],
  );
  assert.equal(await storage.keys.hasManagementKey(), true);
  const place = await storage.workspaces.find('org_a', 'default');
  assert.deepEqual([place?.id, place?.defaultTextModel], ['w-a', 'acme/atlas-4']);
  const spend = await storage.ledger.keySpend('hash-a', wednesday);
  assert.deepEqual([spend.usage.total, spend.usage.daily], [spentTotal, 30n]);
  const found = await storage.generations.find('gen-1');
  assert.deepEqual([found?.cost, found?.upstreamId, found?.usage.cacheRead], [700n, 'up-1', 40]);
  assert.equal((await storage.generations.find('gen-lapsed'))?.lapsed, true);
  const usage = await storage.generations.usage(0, 'day');
  const counted = usage.map((row) => [
    row.requests,
    row.inputTokens,
    row.cachedTokens,
    row.outputTokens,
    row.cost,
  ]);
  assert.deepEqual(
    counted.sort((a, b) => Number(b[1]) - Number(a[1])),
    [
      [1, 100, 40, 20, 700n],
      [3, 10, 0, 2, 30n],
    ],
  );
  const credential = await storage.credentials.find('cred-a');
  assert.deepEqual(credential?.allowedModels, ['acme/atlas-4']);
  assert.deepEqual(await storage.credentials.sealed('cred-a'), {
    ciphertext: 'sealed',
    nonce: 'nonce',
    masterKeyId: 'mk-1',
  });
  assert.equal(await storage.credentials.masterKeyId(), 'mk-1');
  assert.deepEqual(await storage.ledger.verify(), []);
}

/** New charges, the true one of a lapsed call and an entry that was booked already come on top of what was there. */
async function goesOn(storage: Storage, spent: bigint): Promise<void> {
  const call = {
    accountId: 'org_a',
    keyHash: 'hash-a',
    workspaceId: 'w-a',
    listCost: usd(50),
    cost: usd(50),
  };
  await storage.ledger.settle(generation({ ...call, id: 'gen-lapsed' }));
  await storage.ledger.settle(generation({ ...call, id: 'gen-1' }));
  const terms = { feeBasisPoints: 500, monthlyAllowance: usd(0) };
  await storage.ledger.settle(generation({ ...call, id: 'gen-new', isByok: true, cost: usd(0) }), terms);
  const repeated = ledgerEntry('org_a', {
    type: 'purchase',
    fee: usd(100),
    countsAsPurchase: true,
    externalRef: 'invoice-1',
  });
  assert.equal(await storage.ledger.append(repeated), false);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, spent + 50n + 3n);
  assert.deepEqual(await storage.ledger.verify(), []);
}
