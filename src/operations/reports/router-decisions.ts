import { type NanoUsd, sumUsd, zeroUsd } from '../../core/money.ts';
import type { RouterTrafficRow } from '../../ports/router-traffic.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** UTC days that are shown, today included. */
const days = 7;

/** How often a router chose something, and what that cost. */
export interface Chosen {
  /** A model, or a kind of task; empty where none was recognised. */
  readonly name: string;
  readonly generations: number;
  readonly cost: NanoUsd;
}

/** What one router chose for an account, the most frequent first. */
export interface RouterDecisions {
  readonly total: Chosen;
  readonly models: readonly Chosen[];
  readonly tasks: readonly Chosen[];
}

/** What routers chose for the own account in the last seven UTC days, by router. */
export async function readRouterDecisions(
  actor: Actor,
  { storage, clock }: Uses<'accounts' | 'routerTraffic', 'clock'>,
): Promise<ReadonlyMap<string, RouterDecisions>> {
  const { id } = await accountOf(actor, undefined, { storage });
  const since = (utcDay(clock.now()) - days + 1) * dayLength;
  const rows = await storage.routerTraffic.read(since, id);
  return new Map(
    [...Map.groupBy(rows, ({ router }) => router)].map(([router, own]) => [
      router,
      { total: sumOf(router, own), models: sums(own, 'model'), tasks: sums(own, 'task') },
    ]),
  );
}

function sums(rows: readonly RouterTrafficRow[], by: 'model' | 'task'): readonly Chosen[] {
  const all = [...Map.groupBy(rows, (row) => row[by])].map(([name, own]) => sumOf(name, own));
  return all.sort((one, other) => other.generations - one.generations || (one.name < other.name ? -1 : 1));
}

function sumOf(name: string, rows: readonly RouterTrafficRow[]): Chosen {
  return {
    name,
    generations: rows.reduce((sum, { generations }) => sum + generations, 0),
    cost: sumUsd(zeroUsd, ...rows.map(({ cost }) => cost)),
  };
}
