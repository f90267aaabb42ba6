import type { Catalogue, Price } from '../../core/catalogue.ts';
import { type NanoUsd, nanoFromInteger, sumUsd, zeroUsd } from '../../core/money.ts';
import type { UsageRow } from '../../ports/generations.ts';
import type { RouterTrafficRow } from '../../ports/router-traffic.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor, OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** What one router chose models for, and what that cost. */
export interface RouterUsage extends UsageRow {
  /** At list prices, no matter who paid. */
  readonly listCost: NanoUsd;
  /** What the same tokens cost at the model that requests name most; undefined without one that has a price. */
  readonly comparedCost: NanoUsd | undefined;
}

/** What routers did since a moment. */
export interface RouterReport {
  /** Unix milliseconds. */
  readonly since: number;
  /** The most expensive router first. */
  readonly rows: readonly RouterUsage[];
  /** The model that requests name most. */
  readonly comparedWith: string | undefined;
}

/**
 * Sums what routers did in the last UTC days, and compares it with the model that requests name most
 * (docs/spec/routers.md#what-a-router-saves).
 * @throws HeadgateError `not_found` for an account that does not exist.
 */
export async function reportRouters(
  actor: OperatorActor,
  { days, accountId }: { readonly days: number; readonly accountId?: string },
  services: Uses<'accounts' | 'generations' | 'routerTraffic', 'clock'>,
  catalogue: Pick<Catalogue, 'models'>,
): Promise<RouterReport> {
  const { storage, clock } = services;
  if (accountId !== undefined) await accountOf(actor, accountId, services);
  const since = (utcDay(clock.now()) - days + 1) * dayLength;
  const traffic = await storage.routerTraffic.read(since, accountId);
  const used = traffic.length === 0 ? [] : await storage.generations.usage(since, 'model', accountId);
  const compared = mostNamed(used, traffic, catalogue);
  const routers = [...new Set(traffic.map(({ router }) => router))];
  const rows = routers.map((router) => sumOf(router, traffic, compared?.price));
  rows.sort((one, other) => Number(other.cost - one.cost) || (one.group < other.group ? -1 : 1));
  return { since, rows, comparedWith: compared?.id };
}

/** The model with the most calls that no router chose it for, among those with a price. */
function mostNamed(
  used: readonly UsageRow[],
  traffic: readonly RouterTrafficRow[],
  { models }: Pick<Catalogue, 'models'>,
): { readonly id: string; readonly price: Price } | undefined {
  let most: { readonly id: string; readonly price: Price; readonly named: number } | undefined;
  for (const { group: id, requests } of used) {
    const chosen = traffic.filter(({ model }) => model === id);
    const named = requests - chosen.reduce((sum, { generations }) => sum + generations, 0);
    const price = cheapestPrice(id, models);
    if (price !== undefined && named > (most?.named ?? 0)) most = { id, price, named };
  }
  return most;
}

function cheapestPrice(id: string, models: Catalogue['models']): Price | undefined {
  const prices = models.get(id)?.endpoints.flatMap(({ price }) => price ?? []) ?? [];
  return prices.reduce<Price | undefined>(
    (least, price) => (least === undefined || price.prompt < least.prompt ? price : least),
    undefined,
  );
}

function sumOf(router: string, traffic: readonly RouterTrafficRow[], price: Price | undefined): RouterUsage {
  const own = traffic.filter((row) => row.router === router);
  const sum = (count: (row: RouterTrafficRow) => number) => own.reduce((total, row) => total + count(row), 0);
  const usage = {
    group: router,
    requests: sum(({ generations }) => generations),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedTokens: sum(({ cachedTokens }) => cachedTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    reasoningTokens: sum(({ reasoningTokens }) => reasoningTokens),
    cost: sumUsd(zeroUsd, ...own.map(({ cost }) => cost)),
    listCost: sumUsd(zeroUsd, ...own.map(({ listCost }) => listCost)),
  };
  return { ...usage, comparedCost: price && costAt(price, usage) };
}

/** What tokens cost at a price, with the same part of the input read from a cache. */
function costAt(
  { prompt, completion, cacheRead = prompt }: Price,
  {
    inputTokens,
    cachedTokens,
    outputTokens,
  }: Pick<UsageRow, 'inputTokens' | 'cachedTokens' | 'outputTokens'>,
): NanoUsd {
  const pico =
    prompt * BigInt(inputTokens - cachedTokens) +
    cacheRead * BigInt(cachedTokens) +
    completion * BigInt(outputTokens);
  return nanoFromInteger((pico + 500n) / 1_000n);
}

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
interface RouterDecisions {
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
        total: sumOfDecisions(router, own),
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
    total: sumOfDecisions(router, own),
    fallbacks: fallbacksOf(own),
    models: sums(own, 'model'),
  };
}

function fallbacksOf(rows: readonly RouterTrafficRow[]): number {
  return rows.reduce((sum, { fallbacks }) => sum + fallbacks, 0);
}

function sums(rows: readonly RouterTrafficRow[], by: 'model' | 'task'): readonly Chosen[] {
  const all = [...Map.groupBy(rows, (row) => row[by])].map(([name, own]) => sumOfDecisions(name, own));
  return all.sort((one, other) => other.generations - one.generations || (one.name < other.name ? -1 : 1));
}

function sumOfDecisions(name: string, rows: readonly RouterTrafficRow[]): Chosen {
  return {
    name,
    generations: rows.reduce((sum, { generations }) => sum + generations, 0),
    cost: sumUsd(zeroUsd, ...rows.map(({ cost }) => cost)),
  };
}
