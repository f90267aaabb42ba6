import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { endpointCondition } from '../../pipeline/endpoint-condition.ts';
import { endpointParameters } from '../../pipeline/endpoint-parameters.ts';
import { usableBy } from '../../pipeline/usable-models.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { AppServices } from '../app-services.ts';
import { authenticate } from '../authenticate.ts';
import type { RouteTools } from '../management/management-routes.ts';
import { queryText } from '../management/query.ts';
import { describeEndpoint } from './describe-endpoint.ts';
import { describeArchitecture, describeModel, type ListedModel } from './describe-model.ts';
import { describeProvider } from './describe-provider.ts';
import { findModel } from './find-model.ts';
import { listModel, listModels } from './list-models.ts';
import { ModelFacts } from './model-facts.ts';
import { WeeklyPopularity } from './popularity.ts';
import { sortModels, sortsByPopularity } from './query-sorts.ts';
import { filterModels, pageOfModels } from './select-models.ts';

type Row = Pick<ListedModel, 'model' | 'endpoints'>;

/**
 * The catalogue as clients see it (routing.md 1.5). Open to all but `/models/user`; whoever sends a key that works
 * also sees the private models of the account, and how fast endpoints are.
 */
export function addModelRoutes(
  app: FastifyInstance,
  base: string,
  services: AppServices,
  { withKey, callerOf }: RouteTools,
): void {
  const { clock, upstreams } = services;
  const popularity = new WeeklyPopularity(services.storage.generations, clock);
  const rowsFor = (caller: Caller | undefined) =>
    listModels(services.catalogue(), upstreams, caller?.account.id);
  const facts = () => new ModelFacts(services.statistics, clock.now());

  const list = async (rows: readonly ListedModel[], request: FastifyRequest, path: string) => {
    const known = facts();
    const found = filterModels(rows, request, known);
    const sort = queryText(request, 'sort');
    const tokens = sortsByPopularity(sort) ? await popularity.read() : new Map<string, number>();
    return pageOfModels(sortModels(found, sort, known, tokens), request, base + path, known.now);
  };
  const endpointsOf = ({ model, endpoints }: Row, caller: Caller | undefined, known: ModelFacts) =>
    endpoints.map((endpoint) =>
      describeEndpoint(endpoint, model, {
        figures: known.figures(endpoint),
        parameters: endpointParameters(endpoint, model, upstreams),
        showsPercentiles: caller !== undefined,
        condition: endpointCondition(endpoint, services),
        at: known.now,
      }),
    );

  app.get(`${base}/models`, async (request) =>
    list(rowsFor(await callerIfAny(request, services)), request, '/models'),
  );
  app.get(`${base}/models/count`, async (request) => {
    const rows = rowsFor(await callerIfAny(request, services));
    return { data: { count: filterModels(rows, request, facts()).length } };
  });
  app.get(`${base}/models/user`, withKey, (request) => {
    const caller = callerOf(request);
    const isUsable = usableBy(caller, services);
    const rows = rowsFor(caller).filter(({ model }) => isUsable(model));
    return list(rows, request, '/models/user');
  });
  app.get(`${base}/model/:author/:slug`, async (request) => {
    const caller = await callerIfAny(request, services);
    const row = findRow(request, caller, services);
    return { data: describeModel(row, clock.now()) };
  });
  app.get(`${base}/models/:author/:slug/endpoints`, async (request) => {
    const caller = await callerIfAny(request, services);
    const row = findRow(request, caller, services);
    return { data: { ...describeHead(row), endpoints: endpointsOf(row, caller, facts()) } };
  });
  app.get(`${base}/endpoints/zdr`, async (request) => {
    const caller = await callerIfAny(request, services);
    const known = facts();
    const rows = rowsFor(caller).filter(({ alias }) => alias === undefined);
    const data = rows.flatMap(({ model, endpoints }) => {
      const kept = endpoints.filter(({ provider }) => !provider.retainsPrompts);
      return endpointsOf({ model, endpoints: kept }, caller, known);
    });
    return { data };
  });
  app.get(`${base}/providers`, () => ({
    data: [...services.catalogue().providers.values()].map(describeProvider),
  }));
}

/** The caller of an open route, where a key that works was sent; others are served as strangers. */
async function callerIfAny(request: FastifyRequest, services: AppServices): Promise<Caller | undefined> {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  try {
    return await authenticate(authorization, services.callers, services.clock);
  } catch (error) {
    if (error instanceof HeadgateError && error.code === 'authentication') return undefined;
    throw error;
  }
}

function findRow(request: FastifyRequest, caller: Caller | undefined, services: AppServices): ListedModel {
  const { author, slug } = request.params as { readonly author: string; readonly slug: string };
  const accountId = caller?.account.id;
  const asked = `${author}/${slug}`;
  const { model, by } = findModel(asked, services.catalogue(), accountId);
  const row = listModel(model, services.upstreams, accountId);
  return by === 'latest' ? { ...row, alias: asked.toLowerCase().split(':')[0] } : row;
}

function describeHead({ model }: ListedModel): JsonObject {
  const { id, name, created, description } = model;
  return { id, name, created, description, architecture: describeArchitecture(model) };
}
