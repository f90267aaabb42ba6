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

/** What one router chose on a UTC day. */
export interface DayDecisions {
  /** Unix milliseconds of its beginning. */
  readonly start: number;
  readonly total: Chosen;
  /** Answers for which more than one endpoint was asked. */
  readonly fallbacks: number;
  readonly models: readonly Chosen[];
}

/** What one router chose for an account, the most frequent first. */
export interface RouterDecisions {
  readonly total: Chosen;
  readonly fallbacks: number;
  /** All days, the oldest first. */
  readonly days: readonly DayDecisions[];
  readonly models: readonly Chosen[];
  readonly tasks: readonly Chosen[];
}

/** What routers chose for the own account in the last seven UTC days, by router. */
export async function readRouterDecisions(
  actor: Actor,
  { storage, clock }: Uses<'accounts' | 'routerTraffic', 'clock'>,
): Promise<ReadonlyMap<string, RouterDecisions>> {
  const { id } = await accountOf(actor, undefined, { storage });
  const first = utcDay(clock.now()) - days + 1;
  const rows = await storage.routerTraffic.read(first * dayLength, id);
  return new Map(
    [...Map.groupBy(rows, ({ router }) => router)].map(([router, own]) => [
      router,
      {
        total: sumOf(router, own),
        fallbacks: fallbacksOf(own),
        models: sums(own, 'model'),
        tasks: sums(own, 'task'),
        days: Array.from({ length: days }, (_, index) => dayOf(first + index, router, own)),
      },
    ]),
  );
}

function dayOf(day: number, router: string, rows: readonly RouterTrafficRow[]): DayDecisions {
  const own = rows.filter((row) => row.day === day);
  return {
    start: day * dayLength,
    total: sumOf(router, own),
    fallbacks: fallbacksOf(own),
    models: sums(own, 'model'),
  };
}

function fallbacksOf(rows: readonly RouterTrafficRow[]): number {
  return rows.reduce((sum, { fallbacks }) => sum + fallbacks, 0);
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
