import type { Endpoint, Model, Price, Provider } from '../core/catalogue.ts';
import { capabilitiesOf } from './capabilities.ts';
import { isRegional, withFurtherPrices } from './further-prices.ts';
import { publicModelId } from './model-id.ts';
import { type ListedModel, listPricedModels } from './price-source.ts';
import type { ProviderRow } from './provider-row.ts';
import { findProviderRow } from './provider-rows.ts';

/**
 * The built-in models of the enabled providers, with an endpoint for each provider that serves one. Makers of models
 * come before hosts, so the maker's description of a model is used.
 * @param now Unix milliseconds; decides which dated prices apply.
 */
export async function createPricedModels(
  providers: readonly Provider[],
  now: number,
): Promise<readonly Model[]> {
  const models = new Map<string, Model>();
  const rows = providers
    .map((provider) => ({ provider, row: findProviderRow(provider.slug) }))
    .sort((left, right) => Number(left.row?.author === undefined) - Number(right.row?.author === undefined));
  for (const { provider, row } of rows) {
    if (row?.priceSource === undefined) continue;
    for (const listed of await listPricedModels(row.priceSource, now)) {
      if (row.notServed?.test(listed.upstreamModel) === true) continue;
      const model = createModel(provider, row, listed);
      models.set(model.id, addEndpoints(models.get(model.id), model));
    }
  }
  return [...models.values()];
}

function createModel(provider: Provider, row: ProviderRow, listed: ListedModel): Model {
  const name = listed.upstreamModel.replace(/^(accounts\/[^/]+\/(models|routers)|@[a-z]+)\//, '');
  const id = publicModelId(row, name);
  const { input, reasoning, maxCompletionTokens } = capabilitiesOf(id);
  const endpoint: Endpoint = Object.freeze({
    provider,
    upstreamModel: listed.upstreamModel,
    tag: provider.slug,
    tier: 'default',
    contextLength: listed.contextLength,
    maxCompletionTokens,
    price: listed.price && completePrice(listed.price, listed.upstreamModel, provider, row),
  });
  return Object.freeze({
    id,
    canonicalSlug: id,
    name: listed.name,
    description: listed.description,
    created: 0,
    contextLength: listed.contextLength,
    inputModalities: input,
    outputModalities: Object.freeze(['text'] as const),
    ...(reasoning === undefined ? {} : { reasoning }),
    endpoints: Object.freeze([endpoint]),
  });
}

function completePrice(price: Price, model: string, provider: Provider, row: ProviderRow): Price {
  return withFurtherPrices(price, model, row.furtherPrices ?? [], isRegional(provider));
}

function addEndpoints(known: Model | undefined, added: Model): Model {
  if (known === undefined) return added;
  const lengths = [known.contextLength, added.contextLength].filter((length) => length !== undefined);
  const served = new Set(known.endpoints.map(({ provider }) => provider.slug));
  const endpoints = added.endpoints.filter(({ provider }) => !served.has(provider.slug));
  return Object.freeze({
    ...known,
    contextLength: lengths.length === 0 ? undefined : Math.max(...lengths),
    endpoints: Object.freeze([...known.endpoints, ...endpoints]),
  });
}
