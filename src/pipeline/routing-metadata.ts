import type { InferenceRequest } from '../core/inference-request.ts';
import { familyOf } from '../core/model-family.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import type { OpenAnswer } from '../routing/attempt.ts';
import type { CollectedEndpoint, RoutePlan, Target } from '../routing/route-plan.ts';
import { alterationsSeen } from '../translation/alterations-seen.ts';
import type { JsonObject } from '../util/json.ts';

/** How a call went, as far as routing metadata tells it. */
export interface RoutedCall {
  readonly request: InferenceRequest;
  /** As far as it got; undefined when the models asked for are not known. */
  readonly plan?: RoutePlan;
  readonly attempts: readonly ProviderAttempt[];
  /** The endpoint that answered, with what was altered for it. */
  readonly open?: Pick<OpenAnswer, 'target' | 'translation'>;
  /** Whether the call failed, be it after an endpoint began to answer. */
  readonly failed: boolean;
  /** Milliseconds from the first fragment of the answer to its last. */
  readonly generationTime?: number;
  /** The name of this place. */
  readonly region?: string;
}

/** The `service_metadata` of an answer, or of an error after routing began (responses.md 7.4, routing.md 8). */
export function routingMetadata(call: RoutedCall): JsonObject {
  const { request, plan, attempts, open, region = null, generationTime } = call;
  const selected = call.failed ? undefined : open?.target;
  const available = endpointsOf(plan).map((endpoint) => describe(endpoint, selected));
  const choice = selected === undefined ? 'none' : selected.endpoint.provider.name;
  return {
    requested: request.models[0] ?? '',
    strategy: strategyOf(request, plan, selected),
    region,
    summary: `available=${available.length}, selected=${choice}`,
    attempt: attempts.length,
    is_byok: open?.target.credential !== undefined,
    endpoints: { total: plan?.total ?? 0, available },
    ...describeParams(request, plan, selected),
    ...(attempts.length === 0 ? {} : { attempts: describeAttempts(attempts, plan) }),
    ...describePipeline(request, open),
    ...(generationTime === undefined ? {} : { generation_time: generationTime }),
  };
}

/** The plan in its order or, where it came to nothing, all it was made from. */
function endpointsOf(plan: RoutePlan | undefined): readonly (Target | CollectedEndpoint)[] {
  if (plan === undefined) return [];
  return plan.targets.length > 0 ? plan.targets : [...plan.excluded, ...plan.passedOver];
}

function describe(one: Target | CollectedEndpoint, selected: Target | undefined): JsonObject {
  return { provider: one.endpoint.provider.name, model: one.model.id, selected: one === selected };
}

function strategyOf(
  { models: [requested] }: InferenceRequest,
  plan: RoutePlan | undefined,
  selected: Target | undefined,
): string {
  // A retired model is no candidate: whoever answers then stands in for it.
  const first = plan?.candidates.find(({ slug }) => slug === requested);
  if (first?.alias !== undefined) return first.alias === 'latest' ? 'latest' : 'alias';
  return selected !== undefined && selected.model !== first?.model ? 'fallback' : 'direct';
}

function describeParams(
  { provider: { preferredMinThroughput: floor } }: InferenceRequest,
  plan: RoutePlan | undefined,
  selected: Target | undefined,
): JsonObject {
  const model = selected?.model ?? plan?.candidates[0]?.model;
  const group = model && familyOf(model);
  const throughput = floor?.p50 ?? floor?.p75 ?? floor?.p90 ?? floor?.p99;
  if (group === undefined && throughput === undefined) return {};
  return {
    params: {
      ...(group === undefined ? {} : { version_group: group }),
      ...(throughput === undefined ? {} : { throughput_floor: throughput }),
    },
  };
}

function describeAttempts(attempts: readonly ProviderAttempt[], plan: RoutePlan | undefined): JsonObject[] {
  const names = new Map(plan?.targets.map(({ endpoint: { provider } }) => [provider.slug, provider.name]));
  return attempts.map(({ provider, model, status }) => ({
    provider: names.get(provider) ?? provider,
    model,
    status,
  }));
}

/** Which fields of the request were altered for the endpoint that answered, and how. */
function describePipeline(request: InferenceRequest, open: RoutedCall['open']): JsonObject {
  const fields = open === undefined ? [] : alterationsSeen(open.translation.alterations, request);
  if (open === undefined || fields.length === 0) return {};
  const count = fields.length === 1 ? '1 field' : `${fields.length} fields`;
  const stage = {
    type: 'plugin',
    name: 'translation',
    summary: `${count} altered for ${open.target.endpoint.provider.name}`,
    data: { fields },
  };
  return { pipeline: [stage] };
}
