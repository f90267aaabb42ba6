import { exactUsd } from '../../text/format.ts';
import { nanoOfText } from '../../text/nano-of.ts';

/** The intervals of budgets, the shortest first. */
export const intervals = ['daily', 'weekly', 'monthly', 'lifetime'] as const;

export type Interval = (typeof intervals)[number];

/** What the fields of budgets hold, as they were typed; empty is no budget. */
export type TypedBudgets = Readonly<Record<Interval, string>>;

/** Says what is wrong with typed budgets, by their interval: a shorter one must be below every longer one. */
export function budgetFaults(typed: TypedBudgets): Readonly<Partial<Record<Interval, string>>> {
  const faults: Partial<Record<Interval, string>> = {};
  let shorter: { readonly interval: Interval; readonly limit: bigint } | undefined;
  for (const interval of intervals) {
    const text = typed[interval].trim();
    if (text === '') continue;
    const limit = nanoOfText(text);
    if (limit === undefined || limit === 0n) {
      faults[interval] = 'Write USD above 0 with at most nine decimals, such as 25 or 0.5.';
      continue;
    }
    if (shorter !== undefined && limit <= shorter.limit) {
      faults[interval] = `Must be above the ${shorter.interval} budget, ${trimmed(shorter.limit)}.`;
    }
    shorter = { interval, limit };
  }
  return faults;
}

/** One budget to set, or with an undefined limit to delete. */
export interface BudgetStep {
  readonly interval: Interval;
  readonly limit: string | undefined;
}

/**
 * The steps from stored budgets to typed ones, in an order that keeps every stored state valid: what is deleted or rises
 * goes first, from the longest interval on, then what falls, from the shortest on.
 */
export function budgetSteps(
  stored: Readonly<Partial<Record<Interval, bigint>>>,
  typed: TypedBudgets,
): readonly BudgetStep[] {
  const deleted: BudgetStep[] = [];
  const raised: BudgetStep[] = [];
  const lowered: BudgetStep[] = [];
  for (const interval of intervals) {
    const before = stored[interval];
    const text = typed[interval].trim().replace(/^\$/, '');
    const limit = nanoOfText(text);
    if (limit === undefined) {
      if (before !== undefined) deleted.push({ interval, limit: undefined });
    } else if (limit !== before) {
      // A new one cannot be in the way of longer ones that rose before, nor of shorter ones that fall before.
      if (before !== undefined && limit > before) raised.unshift({ interval, limit: text });
      else lowered.push({ interval, limit: text });
    }
  }
  return [...deleted, ...raised, ...lowered];
}

/** An amount as a field holds it: `$25`, `$0.5`. */
export function trimmed(nano: bigint): string {
  return exactUsd(nano)
    .replace(/,/g, '')
    .replace(/\.?0+$/, '');
}
