import type { Catalogue, Model } from '../../core/catalogue.ts';
import type { RoutingRules } from '../../core/routing-rules.ts';
import type { UpstreamRegistry } from '../../ports/upstream.ts';
import { choosableModels } from '../../routers/eligible-models.ts';
import { gatewayRouters } from '../../routers/gateway-routers.ts';
import type { Router } from '../../routers/router.ts';
import type { ListedModel } from './describe-model.ts';
import { listModel } from './list-models.ts';

/** What decides which routers are listed. */
interface RouterListing {
  readonly catalogue: Catalogue;
  readonly rules: RoutingRules;
  /** Whose private models count; undefined means nobody's. */
  readonly accountId: string | undefined;
  readonly isUsable: (model: Model) => boolean;
}

const created = Date.UTC(2026, 10, 1) / 1000;

/**
 * The routers that have a model to choose from, as rows of the list (docs/spec/routers.md#listing). A row reads, writes and takes
 * what any of these models does.
 */
export function listRouters(listing: RouterListing, upstreams: UpstreamRegistry): readonly ListedModel[] {
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
