import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { generation, usd } from '../../../test/conformance/fixtures.ts';
import { now, workplace } from '../../../test/support/command-line.ts';
import { openStorage } from '../../storage/open-storage.ts';

test('accounts are created, changed and listed', async () => {
  const { run, json } = await workplace('bootstrap: { billing_mode: enterprise }\n');
  const first = await json('accounts', 'create', '--name', 'First', '--billing', 'prepaid');
  assert.equal(first.billing_mode, 'prepaid');
  const second = await json('accounts', 'create', '--name', 'Second', '--organization');
  assert.equal(second.billing_mode, 'enterprise');
  assert.deepEqual([first.kind, second.kind], ['personal', 'organization']);
  assert.deepEqual([first.id.slice(0, 5), second.id.slice(0, 4)], ['user_', 'org_']);
  const changed = await run(
    ...['accounts', 'set', first.id, '--billing', 'invoice', '--free-exempt', 'true'],
    ...['--inflight-exempt', 'true', '--disabled', 'true'],
  );
  assert.equal(changed.out, `${first.id} invoice disabled free-exempt inflight-exempt\n`);
  assert.equal((await run('accounts', 'set', first.id, '--disabled', 'false')).code, 0);
  const { accounts } = await json('accounts', 'list');
  const shown = accounts.find(({ id }: { id: string }) => id === first.id);
  assert.deepEqual([shown.free_limit_exempt, shown.disabled, accounts.length], [true, false, 2]);
  const rate = await json('accounts', 'set', first.id, '--requests-per-minute', '60', '--parallel', '2');
  assert.deepEqual([rate.rates, rate.parallel], [{ requests_per_minute: 60, tokens_per_minute: null }, 2]);
  const freed = await json('accounts', 'set', first.id, '--parallel', 'none');
  assert.deepEqual([freed.rates.requests_per_minute, freed.parallel], [60, null]);
  assert.match(
    (await run('accounts', 'set', first.id, '--parallel', '0')).err,
    /It must be a whole number from 1/,
  );
  assert.match(
    (await run('accounts', 'set', 'user_nobody', '--disabled', 'true')).err,
    /^error: no account "user_nobody"/,
  );
  const defaults = '{"response-healing": {"enforced": true}}';
  const given = await json('accounts', 'set', first.id, '--plugin-defaults', defaults);
  assert.deepEqual(given.plugin_defaults, { 'response-healing': { config: {}, enforced: true } });
  assert.deepEqual(
    (await json('accounts', 'set', first.id, '--plugin-defaults', 'none')).plugin_defaults,
    {},
  );
  assert.match(
    (await run('accounts', 'set', first.id, '--plugin-defaults', '{"web": {"config": {"max_results": 99}}}'))
      .err,
    /web\.config\.max_results: must be between 1 and 25/,
  );
  assert.match(
    (await run('credits', 'balance')).err,
    /^error: there are 2 accounts; name one with --account/,
  );
});

test('credits: grants, purchases and refunds, each reference booked once', async () => {
  const { run, json } = await workplace();
  await run('accounts', 'create', '--name', 'Main');
  const grant = await json('credits', 'grant', '--amount', '5', '--ref', 'order-1');
  assert.deepEqual([grant.booked, grant.balance_usd, grant.purchased_total_usd], [true, 5, 0]);
  const again = await run('credits', 'grant', '--amount', '5', '--ref', 'order-1');
  assert.match(again.out, /^Booked before under this reference: nothing changed\.\nAccount {4}user_/);
  const bought = await json('credits', 'grant', '--amount', '10.000000001', '--purchase');
  assert.deepEqual([bought.balance_usd, bought.purchased_total_usd], [15.000000001, 10.000000001]);
  const refund = await json('credits', 'refund', '--amount', '20', '--ref', 'refund-1');
  assert.deepEqual([refund.balance_usd, refund.purchased_total_usd], [-4.999999999, 10.000000001]);
  const balance = await run('credits', 'balance');
  assert.match(
    balance.out,
    /\nBalance {4}-4\.999999999 USD\nPurchased {2}10\.000000001 USD\nSpent {6}0 USD\n$/,
  );
  assert.deepEqual(await run('ledger', 'verify'), {
    code: 0,
    out: 'The ledger agrees with its entries.\n',
    err: '',
  });
});

test('credits: fees, expiry, adjustments and transfers, each entry shown', async () => {
  const { run, json, time } = await workplace();
  const first = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  const gift = ['credits', 'grant', '--amount', '5', '--expires', '2026-12-01', '--ref', 'gift'];
  assert.equal((await json(...gift)).balance_usd, 5);
  assert.match(
    (await run('credits', 'grant', '--amount', '6', '--ref', 'gift')).err,
    /^error: The reference "gift" was booked before with another amount and expiry: give another reference to book this as well\.\n$/,
  );
  assert.match(
    (await run('credits', 'grant', '--amount', '6', '--expires', '2026-11-01')).err,
    /^error: The expiry lies in the past\.\n$/,
  );
  await run('credits', 'grant', '--amount', '20', '--purchase', '--fee', '1.1', '--by', 'Zoë');
  assert.equal((await json('credits', 'adjust', '--amount=-0.5', '--note', 'typo')).balance_usd, 24.5);
  const second = (await run('accounts', 'create', '--name', 'Other')).out.trim();
  const move = ['credits', 'transfer', '--account', first, '--to', second, '--amount', '1', '--ref', 't1'];
  assert.equal((await json(...move)).balance_usd, 23.5);
  assert.equal((await json(...move)).booked, false);
  assert.equal((await json('credits', 'balance', '--account', second)).balance_usd, 1);
  assert.equal((await run('ledger', 'expire')).out, 'Nothing is past its time.\n');
  time.now = Date.parse('2026-12-01T00:00:00Z');
  const { expired } = await json('ledger', 'expire');
  assert.deepEqual(
    expired.map((entry: { amount_usd: number; account_id: string }) => [entry.amount_usd, entry.account_id]),
    [[-3.5, first]],
  );
  const { entries } = await json('credits', 'entries', '--account', first);
  assert.deepEqual(
    entries.map((entry: { type: string; amount_usd: number; fee_usd: number; created_by: string }) => [
      entry.type,
      entry.amount_usd,
      entry.fee_usd,
      entry.created_by,
    ]),
    [
      ['grant', 5, 0, 'command line'],
      ['purchase', 20, 1.1, 'Zoë'],
      ['adjustment', -0.5, 0, 'command line'],
      ['transfer', -1, 0, 'command line'],
      ['expiry', -3.5, 0, null],
    ],
  );
  assert.match(
    (await run('credits', 'entries', '--account', second)).out,
    /^TIME .*\n2026-11-21T12:00:00.000Z {2}transfer +1 /,
  );
  assert.equal((await run('ledger', 'verify')).code, 0);
});

test('usage sums what generations booked', async () => {
  const { run, json, folder } = await workplace();
  const accountId = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  const { hash } = await json('keys', 'create', '--name', 'bot');
  assert.equal((await run('usage')).out, 'Nothing was used.\n');
  const storage = await openStorage(`sqlite:${folder}/.headgate/headgate.db`);
  await storage.ledger.settle(
    generation({
      accountId,
      keyHash: hash,
      createdAt: now,
      settledAt: now,
      provider: 'sandbox',
      usage: { uncachedInput: 6, cacheRead: 4, output: 5, reasoning: 2 },
      cost: usd(250_000_000),
    }),
  );
  await storage.close();
  const { out } = await run('usage', '--by', 'provider');
  assert.equal(
    out,
    'PROVIDER  REQUESTS  INPUT  CACHED  OUTPUT  REASONING   USD\nsandbox          1     10  40.0 %       5          2  0.25\nTotal            1     10  40.0 %       5          2  0.25\n',
  );
  const { rows, since } = await json('usage', '--days', '2', '--by', 'day');
  assert.equal(since, '2026-11-20T00:00:00.000Z');
  assert.deepEqual([rows[0].group, rows[0].cost_usd], ['2026-11-21', 0.25]);
  assert.deepEqual([rows[0].cached_tokens, rows[0].cached_share], [4, 0.4]);
  const other = (await run('accounts', 'create', '--name', 'Other')).out.trim();
  assert.equal((await run('usage', '--account', other)).out, 'Nothing was used.\n');
  const own = await json('usage', '--account', accountId, '--by', 'account');
  assert.deepEqual([own.rows.length, own.rows[0].group, own.rows[0].cost_usd], [1, accountId, 0.25]);
  const unknown = await run('usage', '--account', 'user_nobody');
  assert.deepEqual([unknown.code, unknown.err.includes('no account "user_nobody"')], [1, true]);
});

test('usage says which models cost nobody knows what', async () => {
  const { folder, run, json } = await workplace(`
catalog: none
providers:
  north: { adapter: openai-chat, base_url: "http://127.0.0.1:1/v1" }
models:
  - { id: acme/free, endpoints: [{ provider: north, model: a, price: { input: 0, output: 0 } }] }
  - { id: acme/unpriced, endpoints: [{ provider: north, model: b }] }
`);
  await run('accounts', 'create', '--name', 'Main');
  const storage = await openStorage(`sqlite:${join(folder, '.headgate', 'headgate.db')}`);
  const owner = { accountId: (await storage.accounts.list())[0]?.id ?? '', settledAt: now };
  await storage.ledger.settle(generation({ ...owner, id: 'gen-1', model: 'acme/free', cost: usd(0) }));
  assert.doesNotMatch((await run('usage')).out, /Not in USD/);
  await storage.ledger.settle(generation({ ...owner, id: 'gen-2', model: 'acme/unpriced', cost: usd(0) }));
  await storage.close();
  assert.match(
    (await run('usage', '--by', 'day')).out,
    /\n\nNot in USD: endpoints without a price\. Give one to those of acme\/unpriced\.\n$/,
  );
  assert.deepEqual((await json('usage')).unpriced_models, ['acme/unpriced']);
});
