import type { Config } from '../../config/config.ts';
import type { Catalogue, Endpoint, Model, Price } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type ReadModelName, resolveName } from '../../core/model-names.ts';
import { priceInEffect } from '../../core/price-in-effect.ts';
import { isVisible, resolveSlug, type SlugResolution } from '../../core/resolve-slug.ts';
import type { RoutingRules } from '../../core/routing-rules.ts';
import { type Unavailability, unavailable } from '../../core/unavailable.ts';
import { claudeVia } from '../../dialects/messages/model-names.ts';
import { type EndpointCondition, endpointCondition } from '../../pipeline/endpoint-condition.ts';
import { type EndpointFigures, endpointFigures } from '../../pipeline/endpoint-figures.ts';
import {
  endpointParameters,
  searchesItself,
  type ToolChoices,
  toolChoicesOf,
} from '../../pipeline/endpoint-parameters.ts';
import type { Services } from '../../pipeline/services.ts';
import { allowedTo } from '../../pipeline/usable-models.ts';
import type { EndpointStatistics } from '../../ports/endpoint-statistics.ts';
import type { UpstreamRegistry } from '../../ports/upstream.ts';
import { choosableModels } from '../../routers/eligible-models.ts';
import { gatewayRouters } from '../../routers/gateway-routers.ts';
import type { Router } from '../../routers/router.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { Static } from '../../util/json-schema.ts';
import { shownText } from '../../util/shown-text.ts';
import { describePrice, type EndpointSchema, type ListedModel } from './show.ts';

/** What is measured of models while one list is made. A model is as good as the best of its endpoints. */
export class ModelFacts {
  /** Unix milliseconds. */
  readonly now: number;
  readonly #statistics: EndpointStatistics;
  readonly #figures = new Map<Endpoint, EndpointFigures>();

  constructor(statistics: EndpointStatistics, now: number) {
    this.#statistics = statistics;
    this.now = now;
  }

  figures(endpoint: Endpoint): EndpointFigures {
    const figures = this.#figures.get(endpoint) ?? endpointFigures(endpoint, this.#statistics);
    this.#figures.set(endpoint, figures);
    return figures;
  }

  /** What the model is shown at: the price its first endpoint has by default now. */
  price({ endpoints: [lead] }: ListedModel): Price | undefined {
    return lead?.price && priceInEffect(lead.price, 0, this.now);
  }

  /** Tokens a second at the median; undefined where nothing was measured. */
  throughput(row: ListedModel): number | undefined {
    return this.#best(row, ({ throughput_last_30m: speed }) => speed?.p50, Math.max);
  }

  /** Milliseconds to the first token at the median. */
  latency(row: ListedModel): number | undefined {
    return this.#best(row, ({ latency_last_30m: speed }) => speed?.p50, Math.min);
  }

  /** The fraction of answers whose tool calls were all valid. */
  toolSuccessRate(row: ListedModel): number | undefined {
    return this.#best(row, ({ toolSuccessRate }) => toolSuccessRate, Math.max);
  }

  #best(
    { endpoints }: ListedModel,
    read: (figures: EndpointFigures) => number | undefined,
    better: (...values: number[]) => number,
  ): number | undefined {
    const values = endpoints.map((endpoint) => read(this.figures(endpoint)));
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : better(...known);
  }
}

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

/** A model a path names, and how it named it. */
type NamedModel = Extract<SlugResolution, { readonly outcome: 'model' }>;

/**
 * The model at a path of the interface; aliases and variants are fine (docs/spec/catalogue.md#listings).
 * @throws HeadgateError `not_found` with the reason in `availability`: unknown, retired, or an ended free variant.
 */
function findModel(slug: string, catalogue: Catalogue, accountId: string | undefined): NamedModel {
  const found = resolveSlug(slug, catalogue, accountId);
  switch (found.outcome) {
    case 'model':
      return found;
    case 'retired': {
      const { successor, wasFree } = found;
      const advice = successor === undefined ? '' : ` Use "${successor}" instead.`;
      const what = wasFree
        ? `The free offer "${found.model.id}" has ended.`
        : `"${found.model.id}" is retired.`;
      throw notFound(slug, what + advice, {
        code: wasFree ? 'free_variant_ended' : 'model_deprecated',
        ...(successor === undefined ? {} : { fallback_models: [successor] }),
      });
    }
    case 'empty_family':
      throw notFound(slug, `The family of "${shownText(slug)}" has no model left.`, { code: 'no_endpoints' });
    case 'contradictory':
      throw notFound(slug, `The variants of "${shownText(slug)}" exclude each other.`, {
        code: 'model_not_found',
      });
    case 'router':
      throw routerNotSetUp(slug);
    case 'unknown':
      throw notFound(slug, `The model "${shownText(slug)}" does not exist.`, { code: 'model_not_found' });
  }
}

/** 404 for a router that has nothing to choose from. */
function routerNotSetUp(slug: string): HeadgateError {
  return notFound(slug, `The router "${shownText(slug)}" has no model to choose from on this server.`, {
    code: 'no_endpoints',
  });
}

function notFound(slug: string, message: string, facts: Unavailability['facts']): HeadgateError {
  return unavailable({ models: [slug] }, { error: 'not_found', message, facts });
}

const statusNumbers = { normal: 0, degraded: -1, down: -2, rate_limited: -3, deprecated: -5 } as const;

/** What a list of endpoints shows of one. */
interface EndpointView {
  readonly figures: EndpointFigures;
  readonly parameters: ReadonlySet<string>;
  readonly toolChoices: ToolChoices;
  /** Whether the provider searches the web itself. */
  readonly searches: boolean;
  /** Percentiles are for callers with a key (docs/spec/catalogue.md#endpoints). */
  readonly showsPercentiles: boolean;
  readonly condition: EndpointCondition;
  /** Unix milliseconds; decides which prices hold. */
  readonly at: number;
}

/** One endpoint as clients see it (docs/spec/catalogue.md#endpoints). */
function describeEndpoint(
  endpoint: Endpoint,
  model: Model,
  { figures, parameters, toolChoices, searches, showsPercentiles, condition, at }: EndpointView,
): Static<typeof EndpointSchema> {
  const { provider, contextLength = model.contextLength ?? 0 } = endpoint;
  return {
    name: `${provider.name} | ${model.canonicalSlug}`,
    model_id: model.canonicalSlug,
    model_name: model.name,
    provider_name: provider.name,
    tag: endpoint.tag,
    context_length: contextLength,
    max_completion_tokens: endpoint.maxCompletionTokens ?? null,
    max_prompt_tokens: endpoint.maxPromptTokens ?? null,
    quantization: endpoint.quantization ?? null,
    pricing: describePrice(endpoint.price, at),
    supported_parameters: [...parameters].toSorted(),
    supports_tool_choice: toolChoices,
    supports_implicit_caching: endpoint.cachesImplicitly ?? false,
    supports_voice_cloning: false,
    supports_diarization: false,
    native_tools: searches ? { 'service:web_search': { type: 'web_search' } } : {},
    service_tier: null,
    status: statusNumbers[endpoint.status === 'deprecated' ? 'deprecated' : condition],
    uptime_last_5m: figures.uptime_last_5m,
    uptime_last_30m: figures.uptime_last_30m,
    uptime_last_1d: figures.uptime_last_1d,
    latency_last_30m: showsPercentiles ? figures.latency_last_30m : null,
    throughput_last_30m: showsPercentiles ? figures.throughput_last_30m : null,
  };
}

/** What decides which routers are listed. */
interface RouterListing {
  readonly catalogue: Catalogue;
  readonly rules: RoutingRules;
  /** The account whose private models count; undefined: none count. */
  readonly accountId: string | undefined;
  readonly isUsable: (model: Model) => boolean;
}

const created = Date.UTC(2026, 10, 1) / 1000;

/**
 * The routers that have a model to choose from, as rows of the list (docs/spec/routers.md#listing). A row reads, writes and takes
 * what any of these models does.
 */
function listRouters(listing: RouterListing, upstreams: UpstreamRegistry): readonly ListedModel[] {
  const { catalogue, rules, accountId, isUsable } = listing;
  const usable = [...choosableModels(catalogue, accountId)].filter(isUsable);
  return [...gatewayRouters.values()].flatMap((router) => {
    const models = usable.filter((model) => router.belongs(model, { rules, catalogue }));
    return models.length === 0 ? [] : [rowOf(router, models, accountId, upstreams)];
  });
}

function rowOf(
  { id, name, description }: Router,
  models: readonly Model[],
  accountId: string | undefined,
  upstreams: UpstreamRegistry,
): ListedModel {
  const rows = models.map((model) => listModel(model, upstreams, accountId));
  const contexts = rows.flatMap(
    ({ model, endpoints: [lead] }) => lead?.contextLength ?? model.contextLength ?? [],
  );
  return {
    model: {
      id,
      canonicalSlug: id,
      name,
      description,
      created,
      ...(contexts.length > 0 && { contextLength: Math.max(...contexts) }),
      inputModalities: [...new Set(models.flatMap(({ inputModalities }) => inputModalities))],
      outputModalities: ['text'],
      endpoints: [],
    },
    endpoints: [],
    parameters: [...new Set(rows.flatMap(({ parameters }) => parameters))].toSorted(),
  };
}

/**
 * Every row of the list of models an account may see (docs/spec/catalogue.md#models): models that are neither hidden
 * nor retired, then what latest aliases stand for.
 * @param accountId Whose private models are shown too; undefined is nobody's.
 */
function listModels(
  catalogue: Catalogue,
  upstreams: UpstreamRegistry,
  accountId: string | undefined,
): readonly ListedModel[] {
  const rows: ListedModel[] = [];
  const known = new Map<string, ListedModel>();
  for (const model of catalogue.models.values()) {
    if (model.hidden === true || model.retired !== undefined || !isVisible(model, accountId)) continue;
    const row = listModel(model, upstreams, accountId);
    known.set(model.id, row);
    rows.push(row);
  }
  for (const [slug, { kind, target }] of catalogue.aliases ?? []) {
    const row = kind === 'latest' && target !== undefined ? known.get(target) : undefined;
    if (row !== undefined) rows.push({ ...row, alias: slug, isLatest: true });
  }
  return rows;
}

/** One model as a row, with the endpoints an account may know of. */
function listModel(model: Model, upstreams: UpstreamRegistry, accountId: string | undefined): ListedModel {
  const endpoints = endpointsShown(model, accountId);
  const names = new Set(endpoints.flatMap((endpoint) => [...endpointParameters(endpoint, model, upstreams)]));
  return { model, endpoints, parameters: [...names].toSorted() };
}

/** Those in service, the default tier first, and the account's own private ones before all. */
function endpointsShown({ endpoints }: Model, accountId: string | undefined): readonly Endpoint[] {
  const shown = endpoints.filter(
    ({ status, accounts }) =>
      status !== 'hidden' && status !== 'disabled' && isVisible({ accounts }, accountId),
  );
  const rank = ({ status, tier, accounts }: Endpoint) =>
    (status === undefined ? 0 : 4) + (tier === 'default' ? 0 : 2) + (accounts === undefined ? 1 : 0);
  return shown.toSorted((left, right) => rank(left) - rank(right));
}
