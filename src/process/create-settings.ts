import { findProvider, knownProviders } from '../catalogue/build-providers.ts';
import { CurrentCatalogue } from '../catalogue/catalogue-at.ts';
import type { Config } from '../config/config.ts';
import type { Account } from '../ports/accounts.ts';
import { systemClock } from '../ports/clock.ts';
import { byokTermsOf } from '../settlement/byok-terms.ts';
import { createCredentialForms } from '../upstream/credential-forms.ts';
import { type DiscoveryParts, ModelDiscovery } from './model-discovery.ts';

/** What parts of a server read of the configuration, as it is when they ask, with the models that providers list. */
export function createSettings(
  current: { readonly config: Config },
  {
    log,
    discoveryPauses: pauses,
  }: Pick<DiscoveryParts, 'log'> & { readonly discoveryPauses?: DiscoveryParts['pauses'] },
) {
  const discovery = new ModelDiscovery({ catalogue: () => current.config.catalogue, log, pauses });
  const catalogue = new CurrentCatalogue();
  const settings = {
    clock: systemClock,
    limits: () => current.config.limits,
    location: () => current.config.location,
    routing: () => current.config.routing,
    leavesOutTools: () => current.config.compat.unavailableTools === 'drop',
    catalogue: () => catalogue.at(discovery.catalogue, systemClock.now()),
    credentialForms: createCredentialForms(
      (slug) => findProvider(slug, current.config.catalogue.providers),
      () => knownProviders(current.config.catalogue.providers),
    ),
    byokTerms: (account: Account) => byokTermsOf(account, current.config.byok),
  };
  return { settings, discovery };
}
