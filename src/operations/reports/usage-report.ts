import type { Catalogue } from '../../core/catalogue.ts';
import type { UsageGrouping, UsageRow } from '../../ports/generations.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { type CachedHitsReport, reportCachedHits } from './cached-hits-report.ts';

/** What usage can be summed by. */
export const usageGroups = ['account', 'key', 'model', 'provider', 'day'] as const satisfies UsageGrouping[];

/** Which calls are summed, and how. */
export interface UsageQuestion {
  /** UTC days back, today included. */
  readonly days: number;
  readonly by: UsageGrouping;
  /** Of this account alone; of all by default. */
  readonly accountId?: string;
}

/** What was used since a moment. */
export interface UsageReport {
  /** Unix milliseconds. */
  readonly since: number;
  readonly rows: readonly UsageRow[];
  /** Models with an endpoint without a price, whose calls count as 0 in the sums. */
  readonly unpricedModels: readonly string[];
  /** Answers that were given from the cache instead. */
  readonly cachedHits: CachedHitsReport;
}

/**
 * Sums the requests, tokens and cost of the last UTC days.
 * @throws HeadgateError `not_found` for an account that does not exist.
 */
export async function reportUsage(
  actor: OperatorActor,
  { days, by, accountId }: UsageQuestion,
  services: Uses<'accounts' | 'generations' | 'cachedHits', 'clock'>,
  { models }: Pick<Catalogue, 'models'>,
): Promise<UsageReport> {
  const { storage, clock } = services;
  if (accountId !== undefined) await accountOf(actor, accountId, services);
  const since = (utcDay(clock.now()) - days + 1) * dayLength;
  const rows = await storage.generations.usage(since, by, accountId);
  const byModel = by === 'model' ? rows : await storage.generations.usage(since, 'model', accountId);
  const lacksPrice = (id: string) =>
    models.get(id)?.endpoints.some(({ price }) => price === undefined) === true;
  const cachedHits = await reportCachedHits(since, by, accountId, services);
  return { since, rows, cachedHits, unpricedModels: byModel.map(({ group }) => group).filter(lacksPrice) };
}
