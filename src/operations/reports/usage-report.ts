import type { Catalogue } from '../../core/catalogue.ts';
import type { UsageRow } from '../../ports/generations.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import type { OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** What usage can be summed by. */
export const usageGroups = ['key', 'model', 'provider', 'day'] as const;

/** What was used since a moment. */
export interface UsageReport {
  /** Unix milliseconds. */
  readonly since: number;
  readonly rows: readonly UsageRow[];
  /** Models with an endpoint without a price, whose calls count as 0 in the sums. */
  readonly unpricedModels: readonly string[];
}

/** Sums the requests, tokens and cost of all accounts over the last UTC days, today included. */
export async function reportUsage(
  _actor: OperatorActor,
  { days, by }: { readonly days: number; readonly by: (typeof usageGroups)[number] },
  { storage, clock }: Uses<'generations', 'clock'>,
  { models }: Pick<Catalogue, 'models'>,
): Promise<UsageReport> {
  const since = (utcDay(clock.now()) - days + 1) * dayLength;
  const rows = await storage.generations.usage(since, by);
  const byModel = by === 'model' ? rows : await storage.generations.usage(since, 'model');
  const lacksPrice = (id: string) =>
    models.get(id)?.endpoints.some(({ price }) => price === undefined) === true;
  return { since, rows, unpricedModels: byModel.map(({ group }) => group).filter(lacksPrice) };
}
