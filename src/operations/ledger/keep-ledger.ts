import type { LedgerDifference, LedgerEntry } from '../../ports/ledger.ts';
import type { OperatingActor, OperatorActor } from '../actor.ts';
import { showEntry } from '../credits/show-credits.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';

/** Recomputes every kept total from the entries and returns each difference. Changes nothing. */
export function verifyLedger(
  _actor: OperatingActor,
  { storage }: Uses<'ledger'>,
  onStep?: (done: number, of: number) => void,
): Promise<readonly LedgerDifference[]> {
  return storage.ledger.verify(onStep);
}

/** Books the expiry of all credits past their time, in every account, and returns the new entries. */
export function expireCredits(
  actor: OperatorActor,
  services: UsesToChange<'ledger'>,
): Promise<readonly LedgerEntry[]> {
  return makeChange(
    {
      actor,
      action: 'credits.expire',
      after: (expired: readonly LedgerEntry[]) => ({ expired: expired.map(showEntry) }),
      outdates: { kind: 'callers' },
    },
    services,
    ({ ledger }) => ledger.expire(),
  );
}
