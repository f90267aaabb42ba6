import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSharedState } from '../../src/shared-state/open-shared-state.ts';
import { startCountingUpstream } from '../../test/e2e/support/counting-upstream.ts';
import { chooserOf } from '../../test/routing/random-numbers.ts';
import { createAccounts, headgate, type TestAccount } from './accounts.ts';
import { type Answer, durations, longest, tally } from './answer-log.ts';
import { audit, type BookedCall, type Circumstances, type Findings, isClean } from './audit.ts';
import { runClient } from './client.ts';
import { type Engine, startPostgresEngine, startRedisEngine } from './engine.ts';
import { FaultInjector, type PastFault } from './fault-injector.ts';
import { Gateway } from './gateway.ts';
import { type ChaosOptions, keyedRequestLimit, requestLimit } from './options.ts';
import { startSentinelEngine } from './sentinel-engine.ts';

/** The results of a run. Times are milliseconds. */
export interface ChaosReport {
  readonly options: ChaosOptions;
  /** Of a request, and of one with an idempotency key. */
  readonly limits: { readonly plain: number; readonly keyed: number };
  readonly requests: number;
  readonly complete: number;
  readonly upstreamCalls: number;
  readonly troubles: readonly PastFault[];
  readonly phases: ReturnType<typeof tally>;
  readonly durations: ReturnType<typeof durations>;
  readonly longest: ReturnType<typeof longest>;
  readonly findings: Findings;
  readonly circumstances: Circumstances;
  /** USD left in each prepaid account. */
  readonly balances: Readonly<Record<string, number>>;
}

/** Short, so that a dead process's holds expire within the run. Milliseconds. */
const lease = 10_000;
const settlementWindow = 10_000;
const leaseRenewal = 2_000;
/** Time without faults at the beginning and at the end. */
const calm = 3_000;

function configuration(baseUrl: string, { onFailure }: ChaosOptions): string {
  const endpoint =
    '{ provider: counting, model: words, context_length: 32768, price: { input: 1, output: 2 } }';
  return `
server: { drain_timeout: 5s }
shared_state: { on_failure: ${onFailure} }
catalog: none
providers:
  counting: { adapter: openai-chat, base_url: "${baseUrl}", api_key: any }
models:
  - { id: paid/words, endpoints: [${endpoint}] }
limits:
  in_flight_budget: { lease: ${lease}ms, lease_renewal: ${leaseRenewal}ms, settlement_window: ${settlementWindow}ms }
`;
}

/** Runs three processes under load with injected faults, repairs everything, and compares the logs. */
export async function runChaos(options: ChaosOptions, say: (line: string) => void): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-chaos-'));
  await using cleanUp = new AsyncDisposableStack();
  let clean = false;
  cleanUp.defer(() => (clean ? rm(folder, { recursive: true, force: true }) : say(`logs stay in ${folder}`)));
  const upstream = cleanUp.use(await startCountingUpstream());
  const database = await startPostgresEngine();
  cleanUp.defer(() => database.engine.close());
  const redis = await (options.sentinels ? startSentinelEngine() : startRedisEngine());
  cleanUp.defer(() => redis.close());
  const engines = [database.engine, redis];
  const env = environment(database.engine, redis);
  const accounts = await createAccounts(env, folder);
  const config = configuration(upstream.baseUrl, options);
  const gateways = await Promise.all(
    [1, 2, 3].map((number) =>
      Gateway.create({ name: `gateway-${number}`, folder, config, env, engines, disturbable: true }),
    ),
  );
  for (const gateway of gateways) cleanUp.defer(() => gateway.close());
  for (const gateway of gateways) await gateway.start();
  say('three processes are ready');

  const { answers, troubles } = await disturb(options, { gateways, engines, accounts });
  say(`${answers.length} requests were answered or not; healing and counting`);
  const held = await heal(gateways, redis, accounts);
  const rows = await database.ask('select id, cost, details from generations');
  const verdict = await headgate(env, folder, 'ledger', 'verify').catch((error: unknown) => String(error));
  const { findings, circumstances } = audit({
    answers,
    booked: rows.map(readRow),
    calls: upstream.calls,
    differences: differencesIn(verdict),
    held,
  });
  clean = isClean(findings);
  return {
    options,
    limits: { plain: requestLimit, keyed: keyedRequestLimit },
    requests: answers.length,
    complete: answers.filter(({ complete }) => complete).length,
    upstreamCalls: upstream.calls.size,
    troubles,
    phases: tally(answers),
    durations: durations(answers),
    longest: longest(answers),
    findings,
    circumstances,
    balances: await balancesOf(accounts, env, folder),
  };
}

/** The environment of every process and command; addresses lead to the engines directly. */
function environment(database: Engine, redis: Engine): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return {
    PATH,
    HOME,
    HEADGATE_DATABASE_URL: database.url(),
    HEADGATE_REDIS_URL: redis.url(),
    HEADGATE_MASTER_KEY: randomBytes(32).toString('base64'),
  };
}

interface Scene {
  readonly gateways: readonly Gateway[];
  readonly engines: readonly Engine[];
  readonly accounts: readonly TestAccount[];
}

/** Runs load while injecting faults. */
async function disturb(options: ChaosOptions, { gateways, engines, accounts }: Scene) {
  const answers: Answer[] = [];
  const over = new AbortController();
  const troubles = new FaultInjector({ gateways, engines }, chooserOf(options.seed));
  const clients = Array.from({ length: options.clients }, (_, client) =>
    runClient(chooserOf(options.seed * 1_000 + client), {
      targets: gateways.map(({ url }) => url),
      keys: accounts.map(({ rawKey }) => rawKey),
      over: over.signal,
      watchFaults: () => troubles.watch(),
      note: (answer) => answers.push(answer),
    }),
  );
  await sleep(calm);
  await troubles.strike(options.minutes * 60_000 - 2 * calm);
  await sleep(calm);
  over.abort();
  await Promise.all(clients);
  return { answers, troubles: troubles.past };
}

/**
 * Waits until leases have expired, reads what is still reserved, and restarts every process in order, so that all
 * buffered charges are booked.
 */
async function heal(gateways: readonly Gateway[], redis: Engine, accounts: readonly TestAccount[]) {
  await sleep(lease + settlementWindow + 3 * leaseRenewal);
  const shared = await openSharedState(
    { url: redis.url(), onFailure: 'reject' },
    { countBooked: async () => 0, onChange: () => undefined },
  );
  const held = new Map<string, bigint>();
  for (const { id, name } of accounts) held.set(name, await shared.inFlightBudget.inFlight(id));
  await shared.close();
  for (const gateway of gateways) {
    const code = await gateway.end('SIGTERM');
    if (code !== 0) throw new Error(`${gateway.name} ended with ${code} instead of 0`);
    await gateway.start();
    await gateway.end('SIGTERM');
  }
  return held;
}

function readRow(row: Readonly<Record<string, unknown>>): BookedCall {
  const details: unknown = JSON.parse(String(row.details));
  const member = (name: string): unknown =>
    typeof details === 'object' && details !== null ? Reflect.get(details, name) : undefined;
  const upstreamId = member('upstreamId');
  return {
    id: String(row.id),
    cost: Number(row.cost),
    upstreamId: typeof upstreamId === 'string' ? upstreamId : undefined,
    lapsed: member('lapsed') === true,
  };
}

function differencesIn(verdict: unknown): readonly unknown[] {
  const differences =
    typeof verdict === 'object' && verdict !== null ? Reflect.get(verdict, 'differences') : [verdict];
  return Array.isArray(differences) ? differences : [verdict];
}

async function balancesOf(accounts: readonly TestAccount[], env: NodeJS.ProcessEnv, folder: string) {
  const balances: Record<string, number> = {};
  for (const { id, name } of accounts.filter(({ name }) => name.startsWith('prepaid'))) {
    const answer = await headgate(env, folder, 'credits', 'balance', '--account', id);
    const balance =
      typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'balance_usd') : undefined;
    balances[name] = Number(balance);
  }
  return balances;
}
