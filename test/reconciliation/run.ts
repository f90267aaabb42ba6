import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../../src/ports/storage.ts';
import { roomInWindow } from '../support/windows.ts';
import { carryOut, type Seen } from './carry-out.ts';
import { type Order, randomOrders } from './orders.ts';
import { makeParties, registerOwn } from './parties.ts';
import { configurationOf, randomModels } from './price-list.ts';
import { startRandomProvider } from './random-provider.ts';
import {
  byokTerms,
  compareReports,
  compareUsage,
  type Reckoned,
  reckon,
  type UsageLine,
} from './reconcile.ts';

const ownKey = 'sk-own-credential-of-an-account-0123456789';

/** Where a run happens. */
export interface Scene {
  readonly storage: Storage;
  /** Starts the gateways with a configuration. */
  start(config: string): Promise<readonly { readonly url: string }[]>;
  /** The JSON answer of a command. */
  headgate(...args: readonly string[]): Promise<unknown>;
}

/**
 * Many accounts and keys ask for models at random prices, of providers that do whatever they like, through all
 * gateways at once. What clients saw, records, keys, credits, activity and usage agree with what the providers would
 * put on their invoices, to the last 1e-9 USD.
 */
export async function reconcileRun(scene: Scene, seed: number, count: number): Promise<number> {
  await roomInWindow('day', 120_000);
  const models = randomModels(seed);
  const parties = await makeParties(scene.storage);
  const orders = randomOrders(seed, count, models, parties.length * 3);
  const provider = await startRandomProvider(orders, ownKey);
  try {
    const more = `byok: { fee_rate: 0.05, monthly_allowance_usd: ${Number(byokTerms.allowance) / 1e9} }\n`;
    const gateways = await scene.start(configurationOf(models, provider.url, more));
    const [first = { url: '' }] = gateways;
    await registerOwn(first, parties, ownKey);
    // Credentials are known everywhere within seconds; these runs are about money.
    if (gateways.length > 1) await sleep(4_000);
    const partyOf = (order: Order) => parties[Math.floor(order.key / 3)] ?? parties[0];
    const seen = await inParallel(orders, 12, async (order) => {
      const raw = partyOf(order)?.keys[order.key % 3]?.raw ?? '';
      return carryOut(gateways[order.number % gateways.length] ?? first, raw, order);
    });
    const calls = await inParallel(seen, 12, (one: Seen) => {
      const party = partyOf(one.order);
      if (party === undefined) throw new Error('nobody asked');
      return reckon(first, party, one, provider);
    });
    await compareReports(first, scene.storage, parties, calls);
    for (const by of ['model', 'provider', 'day'] as const) {
      const { rows } = (await scene.headgate('usage', '--by', by)) as { readonly rows: readonly UsageLine[] };
      compareUsage(by, rows, calls);
    }
    return calls.filter(({ charge }: Reckoned) => charge > 0n).length;
  } finally {
    await provider.close();
  }
}

async function inParallel<Entry, Result>(
  entries: readonly Entry[],
  width: number,
  work: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = entries.entries();
  const worker = async () => {
    for (const [index, entry] of waiting) results[index] = await work(entry);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
