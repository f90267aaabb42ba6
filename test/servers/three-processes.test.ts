import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { headgate } from '../../scripts/chaos/accounts.ts';
import { type Engine, startPostgresEngine, startRedisEngine } from '../../scripts/chaos/engine.ts';
import { Gateway } from '../../scripts/chaos/gateway.ts';
import { checkContract } from '../support/contract.ts';
import { type HoldingUpstream, startHoldingUpstream } from '../support/holding-upstream.ts';

const parallel = 2_000;
const affordable = 40;
const apiKey = 'sk-a-key-that-all-three-processes-know-of';

let folder: string;
let upstream: HoldingUpstream;
let engines: readonly Engine[];
let env: NodeJS.ProcessEnv;
let gateways: readonly Gateway[] = [];

/** 4,000 tokens out may cost 0.06 USD; one token of them costs 0.000015. */
const configuration = (url: string) => `
catalog: none
providers: { north: { adapter: openai-chat, base_url: "${url}/v1", api_key: any } }
models:
  - { id: acme/atlas-4, endpoints: [{ provider: north, model: atlas, context_length: 32768, price: { input: 0, output: 15 } }] }
`;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-three-'));
  upstream = await startHoldingUpstream();
  engines = [(await startPostgresEngine()).engine, await startRedisEngine()];
  const { PATH, HOME } = process.env;
  env = {
    PATH,
    HOME,
    HEADGATE_DATABASE_URL: engines[0]?.url(),
    HEADGATE_REDIS_URL: engines[1]?.url(),
    HEADGATE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    HEADGATE_BOOTSTRAP_API_KEY: apiKey,
    HEADGATE_BILLING_MODE: 'prepaid',
  };
  const config = configuration(upstream.url);
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
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function post(gateway: Gateway): Promise<Response> {
  return fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 4_000 }),
  });
}

test('of three processes that start on an empty database one tells the keys', () => {
  const told = ['one', 'two', 'three'].filter((name) =>
    existsSync(join(folder, name, '.headgate/first-start.txt')),
  );
  assert.equal(told.length, 1);
});

test('of 2,000 parallel requests at three processes on an account that can afford 40 exactly 40 are let', async () => {
  await headgate(env, folder, 'credits', 'grant', '--amount', '4.80');
  const statuses = new Map<number, number>();
  const count = (status: number) => {
    const so = (statuses.get(status) ?? 0) + 1;
    statuses.set(status, so);
    return so;
  };
  const ask = async (gateway: Gateway): Promise<void> => {
    const response = await post(gateway);
    const body = await response.json();
    // A machine that is too busy may leave a counter unasked for a second: that decides nothing.
    if (response.status === 503) return sleep(500).then(() => ask(gateway));
    const so = count(response.status);
    if (response.status !== 402) return;
    checkContract('PaymentRequiredResponse', body);
    assert.equal((body as Problem).error.metadata.limit_source, 'service_in_flight_budget');
    if (so === parallel - affordable) upstream.release();
  };
  const asked = Array.from({ length: Math.ceil(parallel / gateways.length) }, () => gateways)
    .flat()
    .slice(0, parallel);
  await Promise.all(asked.map(ask));
  assert.deepEqual([...statuses].sort(), [
    [200, affordable],
    [402, parallel - affordable],
  ]);
  assert.equal(upstream.received, affordable);
  const { balance_usd: balance } = (await headgate(env, folder, 'credits', 'balance')) as Balance;
  assert.equal(balance, 4.7994);
  assert.deepEqual(await headgate(env, folder, 'ledger', 'verify'), { differences: [] });
});

interface Problem {
  readonly error: { readonly metadata: { readonly limit_source?: string } };
}

interface Balance {
  readonly balance_usd: number;
}
