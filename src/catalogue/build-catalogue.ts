import type { Catalogue, Model, ModelAlias, Provider } from '../core/catalogue.ts';
import type { Environment } from '../util/environment.ts';
import { buildProviders } from './build-providers.ts';
import { catalogueAt } from './catalogue-at.ts';
import type { ModelSettings, ProviderSettings } from './catalogue-schema.ts';
import { mergeModel } from './merge-model.ts';
import { createPricedModels } from './priced-models.ts';
import { readPrice } from './read-price.ts';
import { sandboxModels } from './sandbox-models.ts';

/** The parts of a catalogue. */
export interface CatalogueSource {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly models: readonly ModelSettings[];
  readonly catalog: 'builtin' | 'none';
  readonly environment: Environment;
  /** Unix milliseconds; decides which dated prices apply. */
  readonly now: number;
}

/**
 * The models and providers of one configuration, frozen. The built-in models of every enabled provider come first,
 * then the configured ones are merged over them by id: an entry's members override the built-in ones and its
 * endpoints replace them. Models and providers must have been checked before (see `checkReferences`). Endpoints of
 * disabled providers are left out, and so are models without any other endpoint.
 */
export async function buildCatalogue(source: CatalogueSource): Promise<Catalogue> {
  const served = source.models.flatMap(({ endpoints = [] }) => endpoints.map(({ provider }) => provider));
  const providers = buildProviders(source.providers, source.environment, new Set(served));
  const models = await builtInModels(source, providers);
  for (const settings of source.models) {
    const merged = mergeModel(settings, models.get(settings.id), providers);
    if (merged === undefined) models.delete(settings.id);
    else models.set(merged.id, merged);
  }
  return catalogueAt({ models, providers, aliases: legacyAliases(source.models) }, source.now);
}

/** The former ids of models, as a table (docs/spec/routing.md#slugs). */
function legacyAliases(models: readonly ModelSettings[]): ReadonlyMap<string, ModelAlias> {
  return new Map(
    models.flatMap(({ id, aliases = [] }) =>
      aliases.map((alias) => [alias.toLowerCase(), Object.freeze({ kind: 'legacy', target: id })] as const),
    ),
  );
}

async function builtInModels(
  { catalog, now, providers: settings }: CatalogueSource,
  providers: ReadonlyMap<string, Provider>,
): Promise<Map<string, Model>> {
  const models = new Map<string, Model>();
  const sandbox = providers.get('sandbox');
  if (sandbox !== undefined) {
    const price = settings.sandbox?.price;
    for (const model of sandboxModels(sandbox, price && readPrice(price))) models.set(model.id, model);
  }
  if (catalog === 'none') return models;
  for (const model of await createPricedModels([...providers.values()], now)) models.set(model.id, model);
  return models;
}
