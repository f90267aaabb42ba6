import type { InFlightRules } from '../core/limits.ts';
import type { NanoUsd } from '../core/money.ts';
import type { Balance } from '../ports/ledger.ts';
import { dayLength } from '../util/utc-windows.ts';
import { isPrepaid } from './admit.ts';
import type { Caller } from './caller.ts';

/** Finer than any fraction anybody writes down. */
const fractionScale = 1_000_000_000;

/**
 * Whether an account's requests must fit an in-flight budget (docs/spec/money.md#in-flight-budget): prepaid, not
 * exempt, a balance below the threshold, and not established by both age and spend.
 * @param now Unix milliseconds.
 */
export function isSubjectToBudget(
  { account, funds }: Pick<Caller, 'account'> & { readonly funds: Omit<Balance, 'purchasedTotal'> },
  rules: InFlightRules,
  now: number,
): boolean {
  if (!rules.enabled || !isPrepaid(account) || account.inflightExempt) return false;
  if (funds.balance >= rules.threshold) return false;
  const old = now - account.createdAt >= rules.establishedAgeDays * dayLength;
  return !(old && funds.spentTotal >= rules.establishedSpend);
}

/** What an account with this balance may have in flight: a fraction of it, up to the ceiling. */
export function budgetOf(balance: NanoUsd, rules: InFlightRules): NanoUsd {
  const share = (balance * BigInt(Math.round(rules.fraction * fractionScale))) / BigInt(fractionScale);
  return (share < rules.ceiling ? share : rules.ceiling) as NanoUsd;
}
