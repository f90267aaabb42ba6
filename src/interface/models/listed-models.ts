import type { Config } from '../../config/config.ts';
import type { Endpoint, Model } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type ReadModelName, resolveName } from '../../core/model-names.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import { claudeVia } from '../../dialects/messages/model-names.ts';
import { endpointCondition } from '../../pipeline/endpoint-condition.ts';
import { endpointParameters, searchesItself, toolChoicesOf } from '../../pipeline/endpoint-parameters.ts';
import type { Services } from '../../pipeline/services.ts';
import { allowedTo } from '../../pipeline/usable-models.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { Static } from '../../util/json-schema.ts';
import type { EndpointSchema } from '../schemas/catalogue.ts';
import { describeEndpoint } from './describe-endpoint.ts';
import type { ListedModel } from './describe-model.ts';
import { findModel, routerNotSetUp } from './find-model.ts';
import { listModel, listModels } from './list-models.ts';
import { listRouters } from './list-routers.ts';
import { ModelFacts } from './model-facts.ts';

/** A call whose path names a model: by author and slug, or by an id whose slash was encoded. */
interface ModelCall {
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller | undefined;
}

/** What rows are made from. */
export type RowServices = Pick<Services, 'catalogue' | 'upstreams' | 'routing' | 'guardrails'> & {
  readonly config: Pick<Config, 'compat'>;
};
/** What is measured of models. */
export type FactServices = Pick<Services, 'statistics' | 'clock'>;

/** Every row of the list of models that a caller may see: models, latest aliases, routers that can choose one, then operators' aliases. */
export function rowsFor(
  caller: Caller | undefined,
  services: RowServices,
  isUsable: (model: Model) => boolean = () => true,
): readonly ListedModel[] {
  const catalogue = services.catalogue();
  const accountId = caller?.account.id;
  const rows = listModels(catalogue, services.upstreams, accountId).filter(({ model }) => isUsable(model));
  const named = [
    ...rows,
    ...listRouters({ catalogue, rules: services.routing(), accountId, isUsable }, services.upstreams),
  ];
  return [...named, ...aliasRows(named, caller, services)];
}

/**
 * The rows that a query asks for: those of models that the key may use, or all (docs/spec/catalogue.md#listings).
 * @throws HeadgateError `permission_denied` where all are asked for without a management key.
 */
export function rowsShown(
  { caller, query }: { readonly caller: Caller | undefined; readonly query: { readonly all?: boolean } },
  services: RowServices,
): readonly ListedModel[] {
  if (query.all !== true) return rowsFor(caller, services, allowedTo(caller, services));
  if (caller?.key.kind === 'management') return rowsFor(caller, services);
  throw new HeadgateError('permission_denied', 'all: needs a management key; leave it out.');
}

/** A row for each name that the operator gave one of these models; patterns have none. */
function aliasRows(
  rows: readonly ListedModel[],
  caller: Caller | undefined,
  services: RowServices,
): readonly ListedModel[] {
  const { modelAliases } = services.config.compat;
  const names = Object.keys(modelAliases).filter((name) => !name.includes('*'));
  if (names.length === 0) return [];
  const catalogue = services.catalogue();
  const accountId = caller?.account.id;
  const byId = new Map(
    rows.flatMap((row) => (row.alias === undefined ? [[row.model.id, row] as const] : [])),
  );
  return names.flatMap((name) => {
    const { slug } = resolveName(name, { catalogue, accountId, aliases: modelAliases });
    if (slug === name) return [];
    const found = resolveSlug(slug, catalogue, accountId);
    const id = found.outcome === 'router' ? found.router : found.outcome === 'model' ? found.model.id : slug;
    const row = byId.get(id);
    return row === undefined ? [] : [{ ...row, alias: name }];
  });
}

/** The row of the model a path names. Refuses like `findModel`. @param read Reads names of a client's format. */
export function findRow(
  { params: { author, slug, id }, caller }: ModelCall,
  services: RowServices,
  read?: ReadModelName,
): ListedModel {
  const accountId = caller?.account.id;
  const written = id ?? `${author}/${slug}`;
  const asked = written.startsWith(claudeVia) ? written.slice(claudeVia.length) : written;
  const catalogue = services.catalogue();
  const { slug: meant } = resolveName(asked, {
    catalogue,
    accountId,
    aliases: services.config.compat.modelAliases,
    ...(read !== undefined && { read }),
  });
  const named = meant === asked ? {} : { alias: asked };
  const router = findRouter(meant, caller, services);
  if (router !== undefined) return { ...router, ...named };
  const { model, by } = findModel(meant, catalogue, accountId);
  const row = { ...listModel(model, services.upstreams, accountId), ...named };
  const isLatest = by === 'latest' && row.alias === undefined;
  return isLatest ? { ...row, alias: meant.toLowerCase().split(':')[0], isLatest } : row;
}

/**
 * The row of a router that a path names; undefined where it names another model.
 * @throws HeadgateError `not_found` for a router that has nothing to choose from.
 */
function findRouter(
  slug: string,
  caller: Caller | undefined,
  services: RowServices,
): ListedModel | undefined {
  const found = resolveSlug(slug, services.catalogue(), caller?.account.id);
  if (found.outcome !== 'router') return undefined;
  const row = rowsFor(caller, services).find(({ model }) => model.id === found.router);
  if (row === undefined) throw routerNotSetUp(slug);
  return row;
}

/** What is measured at this moment. */
export function modelFactsNow({ statistics, clock }: FactServices): ModelFacts {
  return new ModelFacts(statistics, clock.now());
}

/** The endpoints of rows, as a caller sees them. */
export function listEndpoints(
  rows: readonly ListedModel[],
  caller: Caller | undefined,
  services: RowServices & FactServices & Pick<Services, 'endpointStatistics'>,
  isShown: (endpoint: Endpoint) => boolean = () => true,
): readonly Static<typeof EndpointSchema>[] {
  const facts = modelFactsNow(services);
  return rows.flatMap(({ model, endpoints }) =>
    endpoints.filter(isShown).map((endpoint) =>
      describeEndpoint(endpoint, model, {
        figures: facts.figures(endpoint),
        parameters: endpointParameters(endpoint, model, services.upstreams),
        toolChoices: toolChoicesOf(endpoint, services.upstreams),
        searches: searchesItself(endpoint, services.upstreams),
        showsPercentiles: caller !== undefined,
        condition: endpointCondition(endpoint, services),
        at: facts.now,
      }),
    ),
  );
}
