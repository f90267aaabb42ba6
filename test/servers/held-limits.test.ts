import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { headgate } from '../../scripts/chaos/accounts.ts';
import { type Engine, startPostgresEngine, startRedisEngine } from '../../scripts/chaos/engine.ts';
import { Gateway } from '../../scripts/chaos/gateway.ts';
import { type SlowAnswer, type SlowUpstream, startSlowUpstream } from '../support/slow-upstream.ts';

/** What each model's provider answers: the whole estimate, a fifth of it, and nothing before the test is over. */
const answers = {
  whole: { outputTokens: 1_000, pause: 500 },
  fifth: { outputTokens: 200, pause: 100 },
  endless: { outputTokens: 1_000, pause: 600_000 },
} satisfies Readonly<Record<string, SlowAnswer>>;

type ModelName = keyof typeof answers;
const names = Object.keys(answers) as ModelName[];
/** 1,000 tokens out cost 0.01 USD, and the prompt nothing. */
const estimate = 0.01;

let folder: string;
let engines: readonly Engine[];
let env: NodeJS.ProcessEnv;
let gateways: readonly Gateway[] = [];
const upstreams = new Map<ModelName, SlowUpstream>();

/** Leases end soon after their process has died. */
function configuration(): string {
  const providers = names.map(
    (name) =>
      `  ${name}: { adapter: openai-chat, base_url: "${upstreams.get(name)?.url}/v1", api_key: any }\n`,
  );
  const models = names.map(
    (name) =>
      `  - { id: acme/${name}, endpoints: [{ provider: ${name}, model: atlas, context_length: 32768, price: { input: 0, output: 10 } }] }\n`,
  );
  return `
catalog: none
limits: { in_flight_budget: { lease: 3s, lease_renewal: 1s } }
providers:
${providers.join('')}models:
${models.join('')}`;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-limits-'));
  for (const name of names) upstreams.set(name, await startSlowUpstream(answers[name]));
  engines = [(await startPostgresEngine()).engine, await startRedisEngine()];
  const { PATH, HOME } = process.env;
  env = {
    PATH,
    HOME,
    HEADGATE_DATABASE_URL: engines[0]?.url(),
    HEADGATE_REDIS_URL: engines[1]?.url(),
    HEADGATE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    HEADGATE_BILLING_MODE: 'invoice',
  };
  const config = configuration();
  gateways = await Promise.all(
    ['one', 'two', 'three'].map((name) =>
      Gateway.create({ name, folder, config, env, engines, disturbable: false }),
    ),
  );
  for (const gateway of gateways) await gateway.start();
});

after(async () => {
  for (const gateway of gateways) await gateway.close();
  for (const engine of engines) await engine.close();
  for (const upstream of upstreams.values()) await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A key that may spend so many estimates a month; returns it with its hash. */
async function createKey(estimates: number): Promise<{ readonly key: string; readonly hash: string }> {
  const limit = String(estimates * estimate);
  const made = await headgate(env, folder, 'keys', 'create', '--name', 'limited', '--limit', limit);
  return made as { key: string; hash: string };
}

function gatewayAt(index: number): Gateway {
  return gateways[index % gateways.length] ?? assert.fail();
}

async function ask(gateway: Gateway, key: string, model: ModelName) {
  const response = await fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: `acme/${model}`, input: 'Hello', max_output_tokens: 1_000 }),
  });
  const body = (await response.json()) as { error?: { metadata: Record<string, unknown> } };
  const { limit_source: source, reason } = body.error?.metadata ?? {};
  return { status: response.status, source, reason };
}

async function usageOf(key: string): Promise<number> {
  const response = await fetch(`${gatewayAt(0).url}/api/v1/key`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await response.json()) as { data: { usage: number } };
  return Number(data.usage.toFixed(9));
}

test('40 requests at once at three processes: as many are served as the limit has estimates', async () => {
  const { key } = await createKey(5);
  const asked = Array.from({ length: 40 }, (_, index) => ask(gatewayAt(index), key, 'whole'));
  const outcomes = await Promise.all(asked);
  const refused = outcomes.filter(({ status }) => status !== 200);
  assert.equal(outcomes.length - refused.length, 5);
  assert.ok((upstreams.get('whole')?.mostAtOnce ?? 0) <= 5);
  for (const { status, source } of refused) assert.deepEqual([status, source], [402, 'service_key_limit']);
  // What other processes have charged is read within three seconds.
  await sleep(3_500);
  assert.equal(await usageOf(key), 5 * estimate);
  assert.deepEqual(await headgate(env, folder, 'ledger', 'verify'), { differences: [] });
});

test('requests at three processes that cost a fifth of their estimate all succeed with the usual retries', async () => {
  const { key } = await createKey(5);
  const asked = Array.from({ length: 24 }, (_, index) =>
    new OpenAI({ baseURL: `${gatewayAt(index).url}/api/v1`, apiKey: key }).responses.create({
      model: 'acme/fifth',
      input: 'Hello',
      max_output_tokens: 1_000,
    }),
  );
  for (const { status } of await Promise.all(asked)) assert.equal(status, 'completed');
  await sleep(3_500);
  assert.equal(await usageOf(key), Number(((24 * estimate) / 5).toFixed(9)));
  assert.deepEqual(await headgate(env, folder, 'ledger', 'verify'), { differences: [] });
});

test('what a killed process held is free after its lease', async () => {
  const { key } = await createKey(1);
  const dying = gatewayAt(2);
  const lost = ask(dying, key, 'endless').catch(() => undefined);
  while ((upstreams.get('endless')?.received ?? 0) < 1) await sleep(20);
  const { status, source, reason } = await ask(gatewayAt(0), key, 'fifth');
  assert.deepEqual([status, source, reason], [402, 'service_key_limit', 'limit_reserved']);
  await dying.end('SIGKILL');
  await lost;
  for (;;) {
    const again = await ask(gatewayAt(0), key, 'fifth');
    if (again.status === 200) break;
    assert.equal(again.reason, 'limit_reserved');
  }
  assert.deepEqual(await headgate(env, folder, 'ledger', 'verify'), { differences: [] });
});
