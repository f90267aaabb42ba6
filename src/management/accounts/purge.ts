import { HeadgateError } from '../../core/errors.ts';
import { formatUsd } from '../../core/money.ts';
import type { PurgedSums } from '../../ports/accounts.ts';
import type { JsonObject } from '../../util/json.ts';
import type { OperatorActor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { noSuchAccount } from './account-of.ts';

/** Records that one transaction deletes, so that servers go on meanwhile. */
const recordsAtOnce = 1_000;

/**
 * Deletes an account with everything that belongs to it (docs/spec/accounts.md#deleting-an-account). What is left is one entry
 * of the installation's audit log, with its sums. One that ends in the middle is done again; then what came late goes too.
 * @throws HeadgateError `not_found`; `unprocessable` for an account that is not disabled.
 */
export function purgeAccount(
  actor: OperatorActor,
  id: string,
  services: UsesToChange<'accounts' | 'generations'>,
): Promise<PurgedSums> {
  const action = 'account.purge';
  return notingRefusal({ actor, action, id }, services, async () => {
    const { accounts, generations } = services.storage;
    const account = await accounts.find(id);
    if (account?.disabled === false) {
      throw new HeadgateError(
        'unprocessable',
        `account "${id}" is in use; first run "headgate accounts set ${id} --disabled true" and let its calls end`,
      );
    }
    // A report reads sums that have every call.
    await generations.usage(0, 'day', id);
    while (await accounts.thin(id, recordsAtOnce));
    return makeChange(
      { actor, action, id, after: showPurged, outdates: { kind: 'callers' } },
      services,
      async (stores) => {
        const sums = await stores.accounts.purge(id);
        if (sums === undefined) throw noSuchAccount(id);
        return sums;
      },
    );
  });
}

/** What is known of a deleted account, as JSON; amounts in USD, exact. */
export function showPurged({ charged, entries, months }: PurgedSums): JsonObject {
  return {
    charged_usd: formatUsd(charged),
    entries_usd: Object.fromEntries(entries.map(({ type, amount }) => [type, formatUsd(amount)])),
    months: Object.fromEntries(
      months.map((one) => [one.month, { calls: one.calls, charged_usd: formatUsd(one.charged) }]),
    ),
  };
}
