import type { Endpoint, Model } from '../../core/catalogue.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import { claudeVia } from '../../dialects/messages/model-names.ts';
import { endpointCondition } from '../../pipeline/endpoint-condition.ts';
import { endpointParameters, toolChoicesOf } from '../../pipeline/endpoint-parameters.ts';
import type { Services } from '../../pipeline/services.ts';
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
export type RowServices = Pick<Services, 'catalogue' | 'upstreams' | 'routing'>;
/** What is measured of models. */
export type FactServices = Pick<Services, 'statistics' | 'clock'>;

/** Every row of the list of models that a caller may see: models, aliases, then routers that can choose one. */
export function rowsFor(
  caller: Caller | undefined,
  services: RowServices,
  isUsable: (model: Model) => boolean = () => true,
): readonly ListedModel[] {
  const catalogue = services.catalogue();
  const accountId = caller?.account.id;
  const rows = listModels(catalogue, services.upstreams, accountId).filter(({ model }) => isUsable(model));
  return [
    ...rows,
    ...listRouters({ catalogue, rules: services.routing(), accountId, isUsable }, services.upstreams),
  ];
}

/** The row of the model a path names. Refuses like `findModel`. */
export function findRow(
  { params: { author, slug, id }, caller }: ModelCall,
  services: RowServices,
): ListedModel {
  const accountId = caller?.account.id;
  const written = id ?? `${author}/${slug}`;
  const asked = written.startsWith(claudeVia) ? written.slice(claudeVia.length) : written;
  const router = findRouter(asked, caller, services);
  if (router !== undefined) return router;
  const { model, by } = findModel(asked, services.catalogue(), accountId);
  const row = listModel(model, services.upstreams, accountId);
  return by === 'latest' ? { ...row, alias: asked.toLowerCase().split(':')[0] } : row;
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
        showsPercentiles: caller !== undefined,
        condition: endpointCondition(endpoint, services),
        at: facts.now,
      }),
    ),
  );
}
