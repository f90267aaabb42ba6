import type { Catalogue, Model, Price, Provider } from '../core/catalogue.ts';
import { parsePricePerMillion } from '../core/money.ts';
import type { ListedModel } from './ask-models.ts';

/** Models of one provider that are taken over. */
const mostModels = 1_000;
const longestName = 200;
const nothing = parsePricePerMillion(0);
/** Using these models costs nothing here: the operator pays for the server in other ways. */
const free: Price = Object.freeze({ prompt: nothing, completion: nothing });
/** What a server calls the version that a name without one means. */
const usualVersion = /:latest$/;

/**
 * A catalogue with the models that providers list, named `<provider>/<model>`. Models that the catalogue has already stay
 * as they are. Nothing is known of what they read and write, so that restricts no request.
 */
export function withDiscovered(
  catalogue: Catalogue,
  lists: ReadonlyMap<string, readonly ListedModel[]>,
): Catalogue {
  const models = new Map(catalogue.models);
  for (const [slug, listed] of lists) {
    const provider = catalogue.providers.get(slug);
    if (provider?.discovers !== true) continue;
    for (const one of listed.slice(0, mostModels)) {
      if (!isName(one.name)) continue;
      const model = discoveredModel(provider, one);
      if (!models.has(model.id)) models.set(model.id, model);
    }
  }
  return Object.freeze({ ...catalogue, models });
}

function discoveredModel(provider: Provider, { name, contextLength }: ListedModel): Model {
  const id = `${provider.slug}/${name}`;
  const endpoint = {
    provider,
    upstreamModel: name,
    tag: provider.slug,
    tier: 'default' as const,
    contextLength,
    price: free,
  };
  return Object.freeze({
    id,
    canonicalSlug: id.replace(usualVersion, ''),
    name: `${provider.name}: ${name}`,
    description: '',
    created: 0,
    contextLength,
    inputModalities: ['text'] as const,
    outputModalities: ['text'] as const,
    undeclared: Object.freeze({ input: true, output: true }),
    endpoints: Object.freeze([Object.freeze(endpoint)]),
  });
}

/** Whether clients could write a name, and logs show it. */
function isName(name: string): boolean {
  return name.length <= longestName && /^[\w.:/@+-]+$/.test(name);
}
