import type { PluginDefaults } from '../../core/plugin-defaults.ts';
import type { Account } from '../../ports/accounts.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import type { UsesToChange } from '../services.ts';
import { accountOf } from './account-of.ts';
import { accountUpdate, storeAccountChange } from './store-account-change.ts';

/** The plugins that are to be on by default, all of them, for an account: the actor's own where none is named. */
export interface GivenDefaults {
  readonly account?: string | undefined;
  readonly defaults: PluginDefaults;
}

/**
 * Replaces the plugins that are on by default for requests of an account (docs/spec/plugins.md#defaults).
 * @throws HeadgateError `not_found` for an account that the actor does not reach.
 */
export async function setPluginDefaults(
  actor: Actor,
  { account: named, defaults }: GivenDefaults,
  services: UsesToChange<'accounts'>,
): Promise<Account> {
  return notingRefusal({ actor, action: accountUpdate, id: named }, services, async () => {
    const { id } = await accountOf(actor, named, services);
    return storeAccountChange(actor, id, () => ({ pluginDefaults: defaults }), services);
  });
}
