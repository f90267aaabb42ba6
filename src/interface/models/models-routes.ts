import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { authenticate } from '../../edge/authenticate.ts';
import { callerOf, type KeyHooks } from '../../edge/key-hooks.ts';
import { apiBase } from '../../edge/paths.ts';
import { queryText } from '../../edge/query.ts';
import { endpointCondition } from '../../pipeline/endpoint-condition.ts';
import { endpointParameters } from '../../pipeline/endpoint-parameters.ts';
import { usableBy } from '../../pipeline/usable-models.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';
import { describeEndpoint } from './describe-endpoint.ts';
import { describeArchitecture, describeModel, type ListedModel } from './describe-model.ts';
import { describeProvider } from './describe-provider.ts';
import { findModel } from './find-model.ts';
import { listModel, listModels } from './list-models.ts';
import { ModelFacts } from './model-facts.ts';
import { WeeklyPopularity } from './popularity.ts';
import { sortModels, sortsByPopularity } from './query-sorts.ts';
import { filterModels, pageOfModels } from './select-models.ts';

/**
 * The catalogue as clients see it (routing.md 1.5). Open to all but `/models/user`; whoever sends a key that works
 * also sees the private models of the account, and how fast endpoints are.
 */
export function addModelRoutes(app: FastifyInstance, services: AppServices, withKey: KeyHooks): void {
  const popularity = new WeeklyPopularity(services.storage.generations, services.clock);
  const list = (path: string, rows: readonly ListedModel[], request: FastifyRequest) =>
    describeList(rows, request, path, services, popularity);
  const models = `${apiBase}/models`;
  const ofUser = `${models}/user`;
  app.get(models, async (request) =>
    list(models, rowsFor(await callerIfAny(request, services), services), request),
  );
  app.get(`${models}/count`, async (request) => {
    const rows = rowsFor(await callerIfAny(request, services), services);
    return { data: { count: filterModels(rows, request, factsNow(services)).length } };
  });
  app.get(ofUser, withKey, (request) => {
    const caller = callerOf(request);
    const isUsable = usableBy(caller, services);
    const rows = rowsFor(caller, services).filter(({ model }) => isUsable(model));
    return list(ofUser, rows, request);
  });
  app.get(`${apiBase}/model/:author/:slug`, async (request) => {
    const row = findRow(request, await callerIfAny(request, services), services);
    return { data: describeModel(row, services.clock.now()) };
  });
  app.get(`${models}/:author/:slug/endpoints`, async (request) => {
    const caller = await callerIfAny(request, services);
    const row = findRow(request, caller, services);
    return { data: { ...describeHead(row), endpoints: describeEndpoints([row], caller, services) } };
  });
  app.get(`${apiBase}/endpoints/zdr`, async (request) => {
    const caller = await callerIfAny(request, services);
    const rows = rowsFor(caller, services).filter(({ alias }) => alias === undefined);
    return { data: describeEndpoints(rows, caller, services, ({ provider }) => !provider.retainsPrompts) };
  });
  app.get(`${apiBase}/providers`, () => ({
    data: [...services.catalogue().providers.values()].map(describeProvider),
  }));
}

async function describeList(
  rows: readonly ListedModel[],
  request: FastifyRequest,
  path: string,
  services: AppServices,
  popularity: WeeklyPopularity,
): Promise<JsonObject> {
  const facts = factsNow(services);
  const found = filterModels(rows, request, facts);
  const sort = queryText(request, 'sort');
  const tokens = sortsByPopularity(sort) ? await popularity.read() : new Map<string, number>();
  return pageOfModels(sortModels(found, sort, facts, tokens), request, path, facts.now);
}

function describeEndpoints(
  rows: readonly ListedModel[],
  caller: Caller | undefined,
  services: AppServices,
  isShown: (endpoint: Endpoint) => boolean = () => true,
): readonly JsonObject[] {
  const facts = factsNow(services);
  return rows.flatMap(({ model, endpoints }) =>
    endpoints.filter(isShown).map((endpoint) =>
      describeEndpoint(endpoint, model, {
        figures: facts.figures(endpoint),
        parameters: endpointParameters(endpoint, model, services.upstreams),
        showsPercentiles: caller !== undefined,
        condition: endpointCondition(endpoint, services),
        at: facts.now,
      }),
    ),
  );
}

function rowsFor(caller: Caller | undefined, services: AppServices): readonly ListedModel[] {
  return listModels(services.catalogue(), services.upstreams, caller?.account.id);
}

function factsNow({ statistics, clock }: AppServices): ModelFacts {
  return new ModelFacts(statistics, clock.now());
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
