import type { Catalogue, Model, ModelAlias } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import { asSpelled, type InferenceRequest } from '../core/inference-request.ts';
import { type DynamicVariant, isVisible, resolveSlug } from '../core/resolve-slug.ts';
import { shownText } from '../util/shown-text.ts';
import { allowsModel, modelNotAllowed } from './allowed-models.ts';
import { emptyFamily, retiredModel, unknownModel } from './unknown-model.ts';

/** One of the models that may serve a request. */
export interface Candidate {
  readonly model: Model;
  /** As the caller wrote it. */
  readonly slug: string;
  /** How to route it, where the slug says so (docs/spec/routing.md#variants). */
  readonly variant?: Exclude<DynamicVariant, 'online'>;
  /** The kind of alias that named it. */
  readonly alias?: ModelAlias['kind'];
}

/** Where models are looked up, and for whom. */
export interface CandidateContext {
  readonly catalogue: Catalogue;
  /** The caller's account: private models do not exist for others. */
  readonly accountId?: string;
  /** The models that the key may use (`allowsModel`); null and undefined are all. */
  readonly allowedModels?: readonly string[] | null;
  /** How many models a request may name. */
  readonly maxModels: number;
}

/**
 * Resolves the models that a request names, in its order and without duplicates (docs/spec/routing.md#slugs,
 * docs/spec/routing.md#candidates, docs/spec/routing.md#variants). Skips retired models and empty families while
 * another model is left.
 * @throws HeadgateError `model_not_found` for an unknown slug, `no_endpoints` when no named model is in service,
 * `invalid_request` for contradictory variants, `permission_denied` for a model that the key may not use.
 */
export function resolveCandidates(
  request: InferenceRequest,
  context: CandidateContext,
): readonly Candidate[] {
  const { catalogue, accountId, allowedModels, maxModels } = context;
  const { models: slugs, canonical } = request;
  if (slugs.length > maxModels) {
    throw new HeadgateError('invalid_request', `models: at most ${maxModels} models can be tried`);
  }
  const fast = canonical.serviceTier === 'priority';
  const candidates: Candidate[] = [];
  let goneError: HeadgateError | undefined;
  for (const slug of slugs) {
    const named = resolve(slug, request, catalogue, accountId);
    if (named instanceof HeadgateError) {
      goneError ??= named;
      continue;
    }
    if (!allowsModel(allowedModels, named.model, catalogue)) throw modelNotAllowed(slug);
    const candidate = fast ? withFastSibling(named, context) : named;
    if (!candidates.some(({ model }) => model === candidate.model)) candidates.push(candidate);
  }
  if (candidates.length === 0 && goneError !== undefined) throw goneError;
  return candidates;
}

/** The candidate that a slug names, or the reason why its model is gone. */
function resolve(
  slug: string,
  request: InferenceRequest,
  catalogue: Catalogue,
  accountId: string | undefined,
): Candidate | HeadgateError {
  const resolution = resolveSlug(slug, catalogue, accountId);
  switch (resolution.outcome) {
    case 'model': {
      const { model, by, variants } = resolution;
      if (variants.includes('online'))
        throw refuse(asSpelled(slug, request), 'the plugin "web" is not available on this server');
      const variant = variants.find((name) => name !== 'online');
      return { model, slug, variant, alias: by === 'name' ? undefined : by };
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
