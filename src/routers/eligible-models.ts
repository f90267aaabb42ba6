import type { Catalogue, Modality, Model } from '../core/catalogue.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { takesParameter } from '../core/parameters.ts';
import { isVisible } from '../core/resolve-slug.ts';
import { allowsModel } from '../routing/allowed-models.ts';
import { planRoute } from '../routing/plan.ts';
import type { Target } from '../routing/route-plan.ts';
import type { RouterQuestion } from './router.ts';

/** A model that could serve a request, with the endpoints that would, in the order of the plan. */
export interface EligibleModel {
  readonly model: Model;
  readonly targets: readonly Target[];
}

/** The parameters that a model must take to be chosen for a request that uses them. */
const needed = ['tools', 'response_format', 'structured_outputs'] as const;

/**
 * The models of a pool that could serve a request, whatever anybody named: those that the caller may see and use, that read
 * and write what it holds, and of which some endpoint passes every rule of the plan (docs/spec/routers.md#candidates).
 * Models of the sandbox count only where no other model is set up. In the order of the catalogue.
 * @param belongs Which models the router chooses among.
 */
export function eligibleModels(
  { request, named, snapshot, allowedModels }: RouterQuestion,
  belongs: (model: Model) => boolean,
): readonly EligibleModel[] {
  const { catalogue, policy } = snapshot;
  const pool = [...choosableModels(catalogue, policy.accountId)].filter(
    (model) => belongs(model) && allowsModel(allowedModels, model, catalogue) && canServe(model, request),
  );
  if (pool.length === 0) return [];
  const candidates = pool.map((model) => ({ model, slug: model.id, variant: named.variant }));
  const { targets } = planRoute(
    withoutTruncation({ ...request, models: pool.map(({ id }) => id) }),
    { ...snapshot, random: () => 0, sticky: undefined, leavesOutTools: false },
    candidates,
  );
  const found = new Map<Model, Target[]>();
  for (const target of targets) {
    if (!needed.every((name) => !request.parameters.includes(name) || takesParameter(target.endpoint, name)))
      continue;
    const others = found.get(target.model);
    if (others === undefined) found.set(target.model, [target]);
    else others.push(target);
  }
  return pool.flatMap((model) => {
    const own = found.get(model);
    return own === undefined ? [] : [{ model, targets: own }];
  });
}

/**
 * The models that routers may choose: in service, listed, and writing text. The sandbox's only where nothing else is
 * set up, so that somebody new sees a router work.
 */
export function* choosableModels(catalogue: Catalogue, accountId: string | undefined): Generator<Model> {
  const simulates = !isSetUp(catalogue);
  for (const model of catalogue.models.values()) {
    if (model.hidden === true || model.retired !== undefined || !isVisible(model, accountId)) continue;
    if (!model.outputModalities.includes('text') || (isSandbox(model) && !simulates)) continue;
    if (model.endpoints.some(({ status }) => status === undefined)) yield model;
  }
}

const setUp = new WeakMap<Catalogue, boolean>();

/** Whether a catalogue has a model of its own beside those of the sandbox. */
function isSetUp(catalogue: Catalogue): boolean {
  let known = setUp.get(catalogue);
  if (known === undefined) {
    known = [...catalogue.models.values()].some(
      (model) => !isSandbox(model) && model.endpoints.some(({ status }) => status === undefined),
    );
    setUp.set(catalogue, known);
  }
  return known;
}

function isSandbox({ id }: Model): boolean {
  return id.startsWith('sandbox/');
}

/** Whether a model reads every kind of content in a request; what nobody declared is text. */
function canServe({ inputModalities, outputModalities }: Model, { canonical }: InferenceRequest): boolean {
  if (canonical.outputModalities.some((kind) => !outputModalities.includes(kind))) return false;
  const kinds = new Set<Modality>();
  for (const item of canonical.items) {
    const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
    for (const { kind } of parts) {
      if (kind === 'image' || kind === 'audio' || kind === 'video') kinds.add(kind);
    }
  }
  return [...kinds].every((kind) => inputModalities.includes(kind));
}

/** The plan of all models at once is not cut short to what one model's plan would have. */
function withoutTruncation(request: InferenceRequest): InferenceRequest {
  const { provider } = request;
  if (provider.sort === undefined && provider.allowFallbacks !== false) return request;
  const allowFallbacks = provider.order === undefined ? undefined : provider.allowFallbacks;
  return { ...request, provider: { ...provider, sort: undefined, allowFallbacks } };
}
