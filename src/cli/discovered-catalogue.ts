import { askModels } from '../catalogue/ask-models.ts';
import { withDiscovered } from '../catalogue/discovered-models.ts';
import type { Catalogue } from '../core/catalogue.ts';

/**
 * A catalogue with the models that providers list now (docs/spec/catalogue.md#discovered-models).
 * @param warn Gets a line for each provider that lists nothing.
 */
export async function discoveredCatalogue(
  catalogue: Catalogue,
  warn: (text: string) => void,
): Promise<Catalogue> {
  const providers = [...catalogue.providers.values()].filter(
    ({ discovers, baseUrl }) => discovers === true && baseUrl !== undefined,
  );
  const lists = await Promise.all(
    providers.map(async (provider) => [provider.slug, await askModels(provider)] as const),
  );
  for (const [slug, list] of lists) if ('failure' in list) warn(`warning: ${slug} ${list.failure}\n`);
  const found = lists.map(([slug, list]) => [slug, 'failure' in list ? [] : list.models] as const);
  return withDiscovered(catalogue, new Map(found));
}
