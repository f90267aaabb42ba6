import type { DownProvider } from '../../operations/installation/find-risks.ts';
import type { InterfaceServices } from '../interface-services.ts';

interface Counted {
  readonly name: string;
  /** Endpoints that were asked within a day. */
  asked: number;
  readonly since: number[];
}

/** The providers of which endpoints are down, with the operator's first credential. */
export function downProviders({
  catalogue,
  endpointTroubles,
  statistics,
}: Pick<InterfaceServices, 'catalogue' | 'endpointTroubles' | 'statistics'>): readonly DownProvider[] {
  const counted = new Map<string, Counted>();
  for (const { endpoints } of catalogue().models.values()) {
    for (const endpoint of endpoints) {
      if (statistics.outcomes({ endpoint }) === undefined) continue;
      const { slug, name } = endpoint.provider;
      const one = counted.get(slug) ?? { name, asked: 0, since: [] };
      counted.set(slug, one);
      one.asked += 1;
      const { condition, since } = endpointTroubles.of(endpoint);
      if (condition === 'down' && since !== undefined) one.since.push(since);
    }
  }
  return [...counted.values()].flatMap(({ name, asked, since }) => {
    if (since.length === 0) return [];
    const isAll = since.length === asked;
    // The provider is away since the last one of its endpoints is, and has trouble since the first one has.
    const began = isAll ? Math.max(...since) : Math.min(...since);
    return [{ name, down: since.length, asked, since: began }];
  });
}
