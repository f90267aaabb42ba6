import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Storage } from '../../src/ports/storage.ts';
import { utcDay } from '../../src/util/utc-windows.ts';
import { callApi } from '../support/call-api.ts';
import { eventually } from '../support/eventually.ts';
import type { Seen } from './carry-out.ts';
import type { Order } from './orders.ts';
import type { Party } from './parties.ts';
import type { RandomProvider, Served } from './random-provider.ts';
import { costOf } from './reckoning.ts';

/** A call as it should be in every report, amounts in 1e-9 USD. */
export interface Reckoned {
  readonly party: Party;
  readonly keyHash: string;
  readonly model: string;
  readonly provider: string | undefined;
  readonly list: bigint;
  readonly charge: bigint;
  readonly own: boolean;
  readonly tokens: readonly [input: number, output: number, reasoning: number];
}

/** What the fee on own credentials comes to in these runs. */
export const byokTerms = { basisPoints: 500n, allowance: 50_000_000n };

/** Compares what a client saw and the record of the call with what the provider would put on its invoice. */
export async function reckon(
  gateway: { readonly url: string },
  party: Party,
  seen: Seen,
  provider: RandomProvider,
): Promise<Reckoned> {
  const { order } = seen;
  const { raw = '', hash: keyHash = '' } = party.keys[order.key % party.keys.length] ?? {};
  const served = provider.servedBy(order.number);
  const call = { party, keyHash, model: order.model.id, own: served?.own === true };
  if (seen.status === 402) {
    // One that broke off before it said anything is asked for nothing; the next one may have been too dear.
    if (served?.behaviour.kind !== 'breaks') {
      assert.equal(served, undefined, 'nobody is asked for who cannot pay');
    }
    return { ...call, provider: undefined, list: 0n, charge: 0n, tokens: [0, 0, 0] };
  }
  const record = await recordOf(gateway, raw, seen.generationId ?? '');
  const tokens = [
    record.native_tokens_prompt ?? 0,
    record.native_tokens_completion ?? 0,
    record.native_tokens_reasoning ?? 0,
  ] as const;
  const list = listCost(order, served, tokens);
  const context = inspect({ order, served, record, usage: seen.usage }, { depth: 5 });
  compareRecord(record, seen, served, list, context);
  const reached = record.provider_name === null ? undefined : served?.provider;
  return { ...call, provider: reached, list, charge: nano(record.total_cost), tokens };
}

/** A record, as far as it is about money. */
interface Shown {
  readonly total_cost: number;
  readonly usage: number;
  readonly cancelled: boolean;
  readonly is_byok: boolean;
  readonly upstream_inference_cost: number | null;
  readonly provider_name: string | null;
  readonly native_tokens_prompt: number | null;
  readonly native_tokens_completion: number | null;
  readonly native_tokens_reasoning: number | null;
}

async function recordOf(gateway: { readonly url: string }, raw: string, id: string): Promise<Shown> {
  return eventually(`the record ${id}`, async () => {
    const { status, body } = await callApi(gateway, raw, 'GET', `/generation?id=${id}`);
    return status === 200 ? (body.data as Shown) : undefined;
  });
}

/**
 * Who left, and whose provider told no counts, pays for an estimate: what it rests on is in the record. All others pay
 * for what the provider counted, and the record shows that.
 */
function listCost(order: Order, served: Served | undefined, shown: Reckoned['tokens']): bigint {
  const behaviour = served?.behaviour;
  if (served === undefined || behaviour?.kind !== 'answer') return 0n;
  const inTier = served.provider === 'north' && behaviour.tier !== undefined;
  const listed = order.model.at[inTier ? `north/${behaviour.tier}` : served.provider];
  assert.ok(listed);
  if (behaviour.counts === undefined || order.leaves) {
    const [fresh, written] = shown;
    return costOf(
      { fresh, written, cacheRead: 0, cacheWrite: 0, audio: 0, pictures: 0, reasoning: 0 },
      listed,
    );
  }
  const { fresh, cacheRead, cacheWrite, audio, pictures, written, reasoning } = behaviour.counts;
  const input = fresh + cacheRead + cacheWrite + audio + pictures;
  assert.deepEqual(shown, [input, written + reasoning, reasoning], `tokens of order ${order.number}`);
  return costOf(behaviour.counts, listed);
}

function compareRecord(
  record: Shown,
  { order, status, usage }: Seen,
  served: Served | undefined,
  list: bigint,
  context: string,
): void {
  const charge = nano(record.total_cost);
  const own = served?.own === true;
  const dearest = (list * byokTerms.basisPoints + 5_000n) / 10_000n;
  assert.ok(own ? charge >= 0n && charge <= dearest : charge === list, context);
  assert.equal(record.usage, record.total_cost);
  assert.equal(record.cancelled, order.leaves && status === 200, context);
  if (served !== undefined) assert.equal(record.is_byok, own, context);
  if (own) assert.equal(nano(record.upstream_inference_cost ?? 0), list, context);
  if (usage) assert.deepEqual([usage.cost, usage.is_byok], [record.total_cost, own], context);
}

/** Asks every report there is and compares it with the calls. */
export async function compareReports(
  gateway: { readonly url: string },
  storage: Storage,
  parties: readonly Party[],
  calls: readonly Reckoned[],
): Promise<void> {
  for (const party of parties) {
    const mine = calls.filter((call) => call.party === party);
    await compareCredits(gateway, party, mine);
    await compareKeys(gateway, party, mine);
    await compareActivity(storage, party, mine);
    compareFees(mine);
  }
  assert.deepEqual(await storage.ledger.verify(), []);
}

async function compareCredits(gateway: { readonly url: string }, party: Party, mine: readonly Reckoned[]) {
  const { data } = (await callApi(gateway, party.managementKey, 'GET', '/credits')).body;
  assert.deepEqual([nano(data.total_credits), nano(data.total_usage)], [party.credit, sumOf(mine, charged)]);
}

async function compareKeys(gateway: { readonly url: string }, party: Party, mine: readonly Reckoned[]) {
  const listed = (await callApi(gateway, party.managementKey, 'GET', '/keys')).body.data;
  for (const { raw, hash } of party.keys) {
    const calls = mine.filter(({ keyHash }) => keyHash === hash);
    const usage = sumOf(calls, charged);
    const byok = sumOf(calls, ownList);
    const own = (await callApi(gateway, raw, 'GET', '/key')).body.data;
    for (const shown of [own, listed.find((one: { hash: string }) => one.hash === hash)]) {
      for (const window of ['', '_daily', '_weekly', '_monthly']) {
        const pair = [nano(shown[`usage${window}`]), nano(shown[`byok_usage${window}`])];
        assert.deepEqual(pair, [usage, byok], `${window} of ${hash}`);
      }
      if (shown.limit === null) continue;
      const counted = shown.include_byok_in_limit ? usage + byok : usage;
      assert.equal(nano(shown.limit_remaining), nano(shown.limit) - counted);
    }
  }
}

/** Activity shows whole days alone, so today's is asked of what makes it. */
async function compareActivity(storage: Storage, party: Party, mine: readonly Reckoned[]) {
  const today = utcDay(Date.now());
  const { accountId } = party;
  for (const byWorkspace of [false, true]) {
    const rows = await storage.activity.activity({ accountId, firstDay: today, lastDay: today, byWorkspace });
    const reached = mine.filter(({ provider }) => provider !== undefined);
    for (const [model, calls] of Map.groupBy(reached, (call) => `${call.model} at ${call.provider}`)) {
      const shown = rows.filter((row) => `${row.model} at ${row.provider}` === model);
      const total = (amount: (row: (typeof rows)[number]) => bigint | number) =>
        shown.reduce((sum, row) => sum + BigInt(amount(row)), 0n);
      assert.equal(
        total((row) => row.cost),
        sumOf(calls, charged),
        model,
      );
      assert.equal(
        total((row) => row.byokCost),
        sumOf(calls, ownList),
        model,
      );
      assert.equal(
        total((row) => row.inputTokens),
        sumOf(calls, ({ tokens }) => BigInt(tokens[0])),
        model,
      );
      assert.equal(
        total((row) => row.outputTokens),
        sumOf(calls, ({ tokens }) => BigInt(tokens[1])),
        model,
      );
      assert.equal(
        total((row) => row.requests),
        BigInt(calls.length),
        model,
      );
    }
  }
}

/** Each fee is rounded on its own, in an order nobody knows: together they are near what is due on the whole. */
function compareFees(mine: readonly Reckoned[]) {
  const own = mine.filter((call) => call.own);
  const over = sumOf(own, ownList) - byokTerms.allowance;
  const due = over > 0n ? over * byokTerms.basisPoints : 0n;
  const off = sumOf(own, charged) * 10_000n - due;
  assert.ok((off < 0n ? -off : off) <= BigInt(own.length) * 5_000n, `fees are off by ${off}`);
}

/** Compares the rows of `headgate usage` with the calls of all accounts. */
export function compareUsage(
  by: 'model' | 'provider' | 'day',
  rows: readonly UsageLine[],
  calls: readonly Reckoned[],
) {
  const groups = Map.groupBy(
    calls,
    (call) =>
      ({ model: call.model, provider: call.provider ?? 'none', day: new Date().toISOString().slice(0, 10) })[
        by
      ],
  );
  for (const [group, some] of groups) {
    const row = rows.find((one) => one.group === group);
    const tokens = (place: 0 | 1 | 2) => Number(sumOf(some, (call) => BigInt(call.tokens[place])));
    // Calls that were all refused left no record, and so no row.
    assert.deepEqual(
      row === undefined
        ? [0n, 0, 0, 0]
        : [nano(row.cost_usd), row.input_tokens, row.output_tokens, row.reasoning_tokens],
      [sumOf(some, charged), tokens(0), tokens(1), tokens(2)],
      `${by} ${group}`,
    );
  }
}

/** A row of `headgate usage --json`. */
export interface UsageLine {
  readonly group: string;
  readonly cost_usd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
}

const charged = ({ charge }: Reckoned) => charge;
const ownList = ({ own, list }: Reckoned) => (own ? list : 0n);

function sumOf(calls: readonly Reckoned[], amount: (call: Reckoned) => bigint): bigint {
  return calls.reduce((sum, call) => sum + amount(call), 0n);
}

/** A shown amount of USD in 1e-9 USD; no amount of these runs is so large that a number is too coarse. */
function nano(usd: number): bigint {
  return BigInt(Math.round(usd * 1e9));
}
