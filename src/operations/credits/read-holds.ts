import type { Limits } from '../../core/limits.ts';
import { type NanoUsd, nanoFromInteger } from '../../core/money.ts';
import type { InFlightBudget, InFlightView } from '../../ports/in-flight-budget.ts';
import { budgetOf, isSubjectToBudget } from '../../settlement/in-flight-rules.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** Holds that are named at most; all of them are counted. */
const namedHolds = 1_000;

/** What an account has in flight. */
export interface AccountInFlight extends InFlightView {
  /** What it may have in flight; undefined for an account without such a limit. */
  readonly budget: NanoUsd | undefined;
  /** The sum of running holds; undefined where there are more than are named. */
  readonly held: NanoUsd | undefined;
}

/** What an account has in flight (docs/spec/money.md#in-flight-budget). Refuses like `accountOf`. */
export async function readHolds(
  actor: Actor,
  input: { readonly account?: string },
  services: Uses<'accounts' | 'ledger', 'clock'> & {
    readonly inFlightBudget: InFlightBudget;
    readonly limits: () => Limits;
  },
): Promise<AccountInFlight> {
  const account = await accountOf(actor, input.account, services);
  const [view, funds] = await Promise.all([
    services.inFlightBudget.look(account.id, namedHolds),
    services.storage.ledger.balance(account.id),
  ]);
  const now = services.clock.now();
  const rules = services.limits().inFlightBudget;
  const isComplete = view.holds.length === view.running;
  return {
    ...view,
    budget: isSubjectToBudget({ account, funds }, rules, now) ? budgetOf(funds.balance, rules) : undefined,
    held: isComplete ? nanoFromInteger(view.holds.reduce((sum, { amount }) => sum + amount, 0n)) : undefined,
  };
}
