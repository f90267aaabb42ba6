import type { Endpoint } from '../../core/catalogue.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { apiBase } from '../../edge/paths.ts';
import { type Queried, queryText } from '../../edge/query.ts';
import type { Route, RouteCall } from '../../edge/route.ts';
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
 * The catalogue as clients see it (routing.md 1.5). Open to all but `/models/user`; a caller whose key works also sees the
 * private models of the account, and how fast endpoints are.
 */
export function modelRoutes(services: AppServices): readonly Route[] {
  const popularity = new WeeklyPopularity(services.storage.generations, services.clock);
  const list = (path: string, rows: readonly ListedModel[], call: RouteCall) =>
    describeList(rows, call, path, services, popularity);
  const models = `${apiBase}/models`;
  const ofUser = `${models}/user`;
  const row = (path: string, show: (call: RouteCall) => unknown): Route => ({
    method: 'GET',
    path,
    access: 'optional',
    handle: async (call) => ({ json: await show(call) }),
  });
  return [
    row(models, (call) => list(models, rowsFor(call.caller, services), call)),
    row(`${models}/count`, (call) => {
      const rows = rowsFor(call.caller, services);
      return { data: { count: filterModels(rows, call, factsNow(services)).length } };
    }),
    {
      method: 'GET',
      path: ofUser,
      access: 'key',
      handle: async (call) => {
        const isUsable = usableBy(call.caller, services);
        const rows = rowsFor(call.caller, services).filter(({ model }) => isUsable(model));
        return { json: await list(ofUser, rows, call) };
      },
    },
    row(`${apiBase}/model/{author}/{slug}`, (call) => ({
      data: describeModel(findRow(call, services), services.clock.now()),
    })),
    row(`${models}/{author}/{slug}/endpoints`, (call) => {
      const row = findRow(call, services);
      return { data: { ...describeHead(row), endpoints: describeEndpoints([row], call.caller, services) } };
    }),
    row(`${apiBase}/endpoints/zdr`, ({ caller }) => {
      const rows = rowsFor(caller, services).filter(({ alias }) => alias === undefined);
      return { data: describeEndpoints(rows, caller, services, ({ provider }) => !provider.retainsPrompts) };
    }),
    {
      method: 'GET',
      path: `${apiBase}/providers`,
      access: 'open',
      handle: () => ({
        json: { data: [...services.catalogue().providers.values()].map(describeProvider) },
      }),
    },
  ];
}

async function describeList(
  rows: readonly ListedModel[],
  request: Queried,
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

function findRow({ params: { author, slug }, caller }: RouteCall, services: AppServices): ListedModel {
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
