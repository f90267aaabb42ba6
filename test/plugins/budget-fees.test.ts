import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { parseUsd } from '../../src/core/money.ts';
import { Secret } from '../../src/util/secret.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type LocalSite, sendJson, startSite } from '../server-tools/local-site.ts';
import { calls } from '../server-tools/tool-world.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf } from '../support/gateway.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';
import { saying } from '../support/made-pdf.ts';

/** An amount as JSON shows it. */
const usd = (amount: number) => Number(amount.toFixed(9));
const searchFee = 0.007;
/** Of three pages. */
const scanFee = 0.006;
const searching = { input: 'When?', plugins: [{ id: 'web' }] };
const scanning = {
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'When?' },
        {
          type: 'input_file',
          filename: 'a.pdf',
          file_data: saying('Noon.').toString('base64'),
        },
      ],
    },
  ],
  plugins: [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }],
};
const withTool = { input: 'When?', tools: [{ type: 'service:web_search' }] };

describe('fees in budgets of guardrails and workspaces', { concurrency: 1 }, () => {
  let site: LocalSite;
  let world: GuardedGateway;
  before(async () => {
    site = await startSite(({ url }, response) =>
      sendJson(
        response,
        url === '/v1/ocr'
          ? {
              pages: [0, 1, 2].map((index) => ({ index, markdown: 'Noon.', images: [] })),
              usage_info: { pages_processed: 3 },
            }
          : { results: [{ url: 'https://sea.example/a', title: 'A', highlights: ['Noon.'] }] },
      ),
    );
    const { tools, plugins } = configOf({ models: [] });
    const apiKey = new Secret('site-key');
    world = await startGuarded({
      config: {
        tools: { ...tools, webSearch: { engines: [{ engine: 'exa', baseUrl: site.url, apiKey }] } },
        plugins: {
          ...plugins,
          fileParser: { ...plugins.fileParser, ocr: { apiKey, baseUrl: site.url, timeout: 60_000 } },
        },
        // The fee of own credentials is another matter.
        byok: {
          feeRate: 0.05,
          monthlyAllowance: parseUsd(25_000),
          enterpriseMonthlyAllowance: parseUsd(25_000),
        },
      },
      models: (provider) => [
        modelOf('acme/atlas-4', [provider]),
        modelOf('acme/own', [providerOf({ slug: 'deepinfra', baseUrl: provider.baseUrl })]),
      ],
    });
  });
  after(async () => {
    assert.deepEqual(await world.gateway.storage.ledger.verify(), []);
    await world.stop();
    await site[Symbol.asyncDispose]();
  });

  async function addKey(fields: object = {}) {
    const key = await world.gateway.createKey(fields);
    return { key, hash: hashKey(key) };
  }
  async function spentBy(hash: string): Promise<number> {
    return (await world.manage('GET', `/keys/${hash}`)).body.data.usage;
  }

  for (const [name, request, fee] of [
    ['of a search by the plugin', searching, searchFee],
    ['of pages that an engine scans', scanning, scanFee],
    ['of a search by the tool', withTool, searchFee],
  ] as const) {
    test(`the fee ${name} counts, and the request that passes the budget by it is served`, async () => {
      const { key, hash } = await addKey();
      const limit = usd(fee * 0.9);
      await world.guard({ limit_usd: limit, reset_interval: 'weekly' }, { keys: [hash] });
      const isTool = request === withTool;
      if (isTool) {
        const call = calls(['service_web_search', { query: 'tides' }]);
        world.upstream.play(call, { steps: chatStream('Good ', 'day.') });
      }
      const served = await world.ask(request, key);
      assert.equal(served.status, 200, served.text);
      assert.equal(served.body.status, 'completed');
      assert.ok(served.body.usage.cost > fee, served.text);
      const refused = await world.ask('Hello', key);
      assert.equal(refused.status, 403);
      const { spend_usd: spend, limit_usd } = refused.body.error.metadata;
      assert.deepEqual([limit_usd, spend], [limit, served.body.usage.cost]);
      assert.equal(await spentBy(hash), served.body.usage.cost);
    });
  }

  for (const [name, request, fee] of [
    ['searches by the plugin', searching, searchFee],
    ['scans', scanning, scanFee / 3],
  ] as const) {
    test(`of 40 requests at once as many ${name} begin as the budget has fees`, async () => {
      const { key, hash } = await addKey();
      await world.guard({ limit_usd: usd(fee * 3) }, { keys: [hash] });
      const before = site.seen.length;
      const answers = await Promise.all(Array.from({ length: 40 }, () => world.ask(request, key)));
      const served = answers.filter(({ status }) => status === 200);
      assert.equal(site.seen.length - before, served.length);
      assert.ok(served.length >= 1 && served.length <= 3, String(served.length));
      for (const { status, body } of answers.filter((answer) => !served.includes(answer)))
        assert.deepEqual([status, body.error.metadata.limit_source], [403, 'service_guardrail_budget']);
    });
  }

  test('a budget that is used up refuses before a fee is due', async () => {
    const { key, hash } = await addKey();
    await world.guard({ limit_usd: 0 }, { keys: [hash] });
    const asked = site.seen.length;
    for (const request of [searching, scanning, withTool]) {
      assert.equal((await world.ask(request, key)).status, 403);
    }
    assert.equal(site.seen.length, asked);
    assert.equal(await spentBy(hash), 0);
  });

  test('the fees of one key are spent for all keys of a workspace', async () => {
    const made = await world.manage('POST', '/workspaces', { name: 'Pier', slug: 'pier' });
    const workspaceId: string = made.body.data.id;
    const keys = [await addKey({ workspaceId }), await addKey({ workspaceId })] as const;
    const limit = { limit_usd: usd(searchFee * 1.5) };
    assert.equal((await world.manage('PUT', '/workspaces/pier/budgets/monthly', limit)).status, 200);
    const costs: number[] = [];
    for (const { key } of keys) {
      const { status, body } = await world.ask(searching, key);
      assert.equal(status, 200);
      costs.push(body.usage.cost);
    }
    for (const { key } of keys) {
      const { status, body } = await world.ask('Hello', key);
      assert.equal(status, 403);
      assert.equal(body.error.metadata.limit_source, 'service_workspace_budget');
      assert.equal(body.error.metadata.spend_usd, usd((costs[0] ?? 0) + (costs[1] ?? 0)));
    }
  });

  test('of 500 requests with fees none begins after the budget is known to be used up', async () => {
    const { key, hash } = await addKey();
    const { body } = await world.ask(searching, key);
    const cost: number = body.usage.cost;
    await world.guard({ limit_usd: usd(cost * 100) }, { keys: [hash] });
    const asked = site.seen.length;
    const [atOnce, waves] = [20, 25];
    const statuses: number[] = [];
    for (let wave = 0; wave < waves; wave += 1) {
      const answers = await Promise.all(Array.from({ length: atOnce }, () => world.ask(searching, key)));
      statuses.push(...answers.map(({ status }) => status));
    }
    const served = statuses.filter((status) => status === 200).length;
    assert.equal(served + statuses.filter((status) => status === 403).length, atOnce * waves);
    assert.ok(served >= 99 && served < 99 + atOnce, `${served} were served`);
    assert.equal(site.seen.length - asked, served, 'no search was made for nothing');
    assert.ok(Math.abs((await spentBy(hash)) - (served + 1) * cost) < 1e-9);
  });

  test('of 500 requests at the same moment each is served whole or not at all', async () => {
    const { key, hash } = await addKey();
    const { body } = await world.ask(searching, key);
    const cost: number = body.usage.cost;
    await world.guard({ limit_usd: usd(cost * 10) }, { keys: [hash] });
    const answers = await Promise.all(Array.from({ length: 500 }, () => world.ask(searching, key)));
    const served = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status }) => status === 403).length;
    assert.ok(served >= 9, `${served} were served`);
    assert.equal(served + refused, 500, JSON.stringify(answers.find(({ status }) => status > 403)?.body));
    assert.ok(Math.abs((await spentBy(hash)) - (served + 1) * cost) < 1e-9);
    assert.equal((await world.ask(searching, key)).status, 403);
  });

  test('what own credentials served counts with include_byok_in_budgets alone', async () => {
    const own = { provider: 'deepinfra', key: 'sk-of-the-account-0123456789', is_required: true };
    const added = await world.manage('POST', '/byok', own);
    assert.equal(added.status, 200, added.text);
    const ask = { model: 'acme/own', input: 'Hello' };
    const [plain, counting] = [await addKey(), await addKey()];
    const limit = { limit_usd: 0.00001 };
    await world.guard(limit, { keys: [plain.hash] });
    await world.guard({ ...limit, include_byok_in_budgets: true }, { keys: [counting.hash] });
    for (const status of [200, 200]) assert.equal((await world.ask(ask, plain.key)).status, status);
    const first = await world.ask(ask, counting.key);
    assert.equal(first.status, 200, first.text);
    assert.equal(first.body.usage.cost, 0, 'within the allowance');
    const refused = await world.ask(ask, counting.key);
    assert.equal(refused.status, 403);
    assert.equal(refused.body.error.metadata.spend_usd, 0.000057, 'at list prices');

    const made = await world.manage('POST', '/workspaces', { name: 'Quay', slug: 'quay' });
    const workspaceId: string = made.body.data.id;
    const { key } = await addKey({ workspaceId });
    assert.equal((await world.manage('POST', '/byok', { ...own, workspace_id: workspaceId })).status, 200);
    await world.manage('PUT', '/workspaces/quay/budgets/daily', limit);
    for (const status of [200, 200]) assert.equal((await world.ask(ask, key)).status, status);
    const budget = { ...limit, include_byok_in_budgets: true };
    await world.manage('PUT', '/workspaces/quay/budgets/daily', budget);
    const barred = await world.ask(ask, key);
    assert.deepEqual([barred.status, barred.body.error.metadata?.spend_usd], [403, 0.000114]);
  });
});

test('a budget that is used up is told before a model that does not exist', async () => {
  const guarded = await startGuarded();
  try {
    await guarded.guard({ limit_usd: 0 }, { keys: [guarded.gateway.keyHash] });
    const request = { model: 'acme/nobody', input: 'Hello' };
    assert.equal((await guarded.ask(request)).status, 403);
    assert.equal((await guarded.ask(request, await guarded.gateway.createKey())).status, 400);
  } finally {
    await guarded.stop();
  }
});
