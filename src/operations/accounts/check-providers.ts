import { findProvider } from '../../catalogue/build-providers.ts';
import type { Provider } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';

/** Providers in service by slug. */
export type ProvidersInService = ReadonlyMap<string, Provider>;

/**
 * Checks the entries of a list of providers: names, slugs or tags, in lowercase. A wrong entry would exclude every
 * provider, or none.
 * @throws HeadgateError `invalid_request` for one that names no provider.
 */
export function checkProviders(entries: readonly string[], inService: ProvidersInService): void {
  const names = new Set([...inService.values()].map(({ name }) => name.toLowerCase()));
  for (const entry of entries) {
    if (names.has(entry) || findProvider(entry.split('/', 1)[0] ?? '', inService) !== undefined) continue;
    throw new HeadgateError(
      'invalid_request',
      `no provider "${entry}" is known; give slugs as in the keys of "providers"`,
    );
  }
}
