import type { ProviderOutcomes } from '../alerts/provider-watch.ts';
import type { Catalogue, Endpoint, Provider } from '../core/catalogue.ts';
import { type EndpointStatistics, type OutcomeFacts, uptimeFailures } from '../ports/endpoint-statistics.ts';
import { sharedKeyName } from '../routing/credential-name.ts';

/** What attempts at each provider came to lately, with credentials of the operator; providers without any are left out. */
export function providerOutcomes(
  { models }: Catalogue,
  statistics: EndpointStatistics,
): readonly ProviderOutcomes[] {
  const found = new Map<string, ProviderOutcomes>();
  for (const { endpoints } of models.values()) {
    for (const endpoint of endpoints) {
      for (const facts of factsOf(endpoint, statistics)) add(found, endpoint.provider, facts);
    }
  }
  return [...found.values()].filter(({ failures, successes }) => failures + successes > 0);
}

/** Of the first credential of the operator, and of further ones. */
function factsOf(endpoint: Endpoint, statistics: EndpointStatistics): readonly OutcomeFacts[] {
  const further = endpoint.provider.sharedKeys?.length ?? 0;
  const names = [undefined, ...Array.from({ length: further }, (_, index) => sharedKeyName(index + 1))];
  return names.flatMap((credentialId) => statistics.outcomes({ endpoint, credentialId }) ?? []);
}

function add(found: Map<string, ProviderOutcomes>, { slug, name }: Provider, facts: OutcomeFacts): void {
  const known = found.get(slug) ?? { slug, name, failures: 0, successes: 0, recentSuccesses: 0 };
  const counts = facts.outcomes('5m');
  found.set(slug, {
    ...known,
    failures: known.failures + uptimeFailures.reduce((sum, outcome) => sum + counts[outcome], 0),
    successes: known.successes + counts.success,
    recentSuccesses: known.recentSuccesses + facts.outcomes('30s').success,
  });
}
