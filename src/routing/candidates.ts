import type { Catalogue, Model, ModelAlias } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import { type AnyRequest, asSpelled } from '../core/inference-request.ts';
import { type DynamicVariant, isVisible, resolveSlug } from '../core/resolve-slug.ts';
import type { RoutedModels, RouterOutcome } from '../core/routed-models.ts';
import type { RouterId } from '../core/router-names.ts';
import { shownText } from '../util/shown-text.ts';
import { allowsModel, type ModelLimits, requireAllowed } from './allowed-models.ts';
import { emptyFamily, emptyRouter, retiredModel, unknownModel } from './unknown-model.ts';

/** One of the models that may serve a request. */
export interface Candidate {
  readonly model: Model;
  /** As the caller wrote it. */
  readonly slug: string;
  /** How to route it, where the slug says so (docs/spec/routing.md#variants). */
  readonly variant?: Exclude<DynamicVariant, 'online'>;
  /** The kind of alias that named it. */
  readonly alias?: ModelAlias['kind'];
  /** What the router chose that the slug names, where it names one. */
  readonly router?: RoutedModels;
}

/** A slug that names a router. */
export interface NamedRouter {
  readonly slug: string;
  readonly routerId: RouterId;
  readonly variant: Candidate['variant'];
}

/** Where models are looked up, and for which caller. */
export interface CandidateContext {
  readonly catalogue: Catalogue;
  /** The caller's account: private models do not exist for others. */
  readonly accountId?: string;
  /** The models that the caller may use; undefined is all. */
  readonly allowedModels?: ModelLimits | undefined;
  /** Asks a router that was not asked for this request before. */
  readonly chooseBy?: (named: NamedRouter) => RouterOutcome;
  /** How many models a request may name. */
  readonly maxModels: number;
}

/**
 * Resolves the models that a request names, in its order and without duplicates (docs/spec/routing.md#slugs,
 * docs/spec/routing.md#candidates, docs/spec/routing.md#variants). Skips retired models and empty families while
 * another model is left. A router is replaced by the models it chose (docs/spec/routers.md#choosing).
 * @throws HeadgateError `model_not_found` for an unknown slug, `no_endpoints` when no named model is in service,
 * `invalid_request` for contradictory variants, `permission_denied` for a model that the key may not use.
 */
export function resolveCandidates(request: AnyRequest, context: CandidateContext): readonly Candidate[] {
  const { catalogue, accountId, allowedModels, maxModels } = context;
  const { models: slugs, canonical } = request;
  if (slugs.length > maxModels) {
    throw new HeadgateError('invalid_request', `models: at most ${maxModels} models can be tried`);
  }
  const fast = canonical.serviceTier === 'priority';
  const candidates: Candidate[] = [];
  const add = (found: Candidate) => {
    const candidate = fast ? withFastSibling(found, context) : found;
    if (!candidates.some(({ model }) => model === candidate.model)) candidates.push(candidate);
  };
  let goneError: HeadgateError | undefined;
  for (const slug of slugs) {
    const named = resolve(slug, request, catalogue, accountId);
    if (named instanceof HeadgateError) {
      goneError ??= named;
      continue;
    }
    if ('routerId' in named) {
      const chosen = chosenBy(named, request, context);
      if (chosen instanceof HeadgateError) goneError ??= chosen;
      else chosen.forEach(add);
      continue;
    }
    if (allowedModels !== undefined) requireAllowed(allowedModels, { model: named.model, slug }, catalogue);
    add(named);
  }
  if (candidates.length === 0 && goneError !== undefined) throw goneError;
  return candidates;
}

/** The models that a router chose, each under the router's slug, or why there are none. */
function chosenBy(
  named: NamedRouter,
  request: AnyRequest,
  { catalogue, chooseBy }: CandidateContext,
): readonly Candidate[] | HeadgateError {
  const { slug, variant } = named;
  const chosen = request.routed?.get(slug) ?? chooseBy?.(named) ?? emptyRouter(slug, request);
  if (chosen instanceof HeadgateError) return chosen;
  const found = chosen.models.flatMap((id) => catalogue.models.get(id) ?? []);
  if (found.length === 0) return emptyRouter(slug, request);
  return found.map((model) => ({ model, slug, variant, router: chosen }));
}

/** The router that a slug names; undefined for every other slug. */
export function readRouterSlug(
  slug: string,
  { catalogue, accountId }: Pick<CandidateContext, 'catalogue' | 'accountId'>,
): NamedRouter | undefined {
  const resolution = resolveSlug(slug, catalogue, accountId);
  if (resolution.outcome !== 'router') return undefined;
  return { slug, routerId: resolution.router, variant: variantOf(resolution.variants) };
}

/** The candidate or the router that a slug names, or the reason why its model is gone. */
function resolve(
  slug: string,
  request: AnyRequest,
  catalogue: Catalogue,
  accountId: string | undefined,
): Candidate | NamedRouter | HeadgateError {
  const resolution = resolveSlug(slug, catalogue, accountId);
  switch (resolution.outcome) {
    case 'model': {
      const { model, by, variants } = resolution;
      const variant = variantOf(variants);
      return { model, slug, variant, alias: by === 'name' ? undefined : by };
    }
    case 'router': {
      const { router, variants } = resolution;
      return { slug, routerId: router, variant: variantOf(variants) };
    }
    case 'retired':
      return retiredModel(slug, resolution, request);
    case 'empty_family':
      return emptyFamily(slug, request);
    case 'contradictory':
      throw refuse(
        asSpelled(slug, request),
        `the variants ${shownText(resolution.variants.join(' and '))} do not go together`,
      );
    case 'unknown':
      throw unknownModel(slug, request, catalogue, accountId);
  }
}

/** How to route by variants; `online` is a plugin. */
function variantOf(variants: readonly DynamicVariant[]): Candidate['variant'] {
  return variants.find((name) => name !== 'online');
}

function refuse(slug: string, reason: string): HeadgateError {
  return new HeadgateError('invalid_request', `model: "${shownText(slug)}": ${reason}`);
}

/**
 * The model that replaces another one under the priority tier (docs/spec/routing.md#service-tiers), while it is in
 * service.
 */
function withFastSibling(
  candidate: Candidate,
  { catalogue, accountId, allowedModels }: CandidateContext,
): Candidate {
  const { fastSibling } = candidate.model;
  const sibling = fastSibling === undefined ? undefined : catalogue.models.get(fastSibling);
  const serves =
    sibling !== undefined &&
    isVisible(sibling, accountId) &&
    sibling.retired === undefined &&
    // Nobody named it, so one that the key may not use is passed over.
    allowsModel(allowedModels, sibling, catalogue) &&
    sibling.endpoints.some(({ status }) => status === undefined);
  return serves ? { ...candidate, model: sibling } : candidate;
}
