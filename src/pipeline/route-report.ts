import type { AnyRequest } from '../core/inference-request.ts';
import { familyOf } from '../core/model-family.ts';
import type { PipelineEntry, ReportedAttempt, ReportedEndpoint, RouteReport } from '../core/route-report.ts';
import { routerNamed, routerStrategies } from '../core/router-names.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import type { OpenAnswer } from '../routing/attempt.ts';
import type { CollectedEndpoint, RoutePlan, Target } from '../routing/route-plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { alterationsSeen } from '../translation/alterations-seen.ts';
import { type EvaluationServices, evaluateCaller, evaluateRoute } from './evaluate-request.ts';

const none: readonly PipelineEntry[] = [];

/** What is known of how a call went. */
export interface RoutedCall {
  readonly request: AnyRequest;
  /** As far as it got; undefined when the models asked for are not known. */
  readonly plan?: RoutePlan;
  readonly attempts: readonly ProviderAttempt[];
  /** The endpoint that answered, with what was altered for it. */
  readonly open?: Pick<OpenAnswer, 'target' | 'translation'>;
  /** Whether the call failed, before or after an endpoint began to answer. */
  readonly failed: boolean;
  /** Whether a stage refused the request before any endpoint was asked. */
  readonly blocked?: boolean;
  /** What the stages that ran report, in their order. */
  readonly entries?: readonly PipelineEntry[];
  /** Milliseconds from the first fragment of the answer to its last. */
  readonly generationTime?: number;
  /** The name of this place. */
  readonly region?: string;
}

/** Makes the report of a call for a client that asks for it. */
export function reportRoute(call: RoutedCall): RouteReport {
  const { request, plan, attempts, open, region, generationTime } = call;
  const selected = call.failed ? undefined : open?.target;
  const endpoints = endpointsOf(plan);
  const available = endpoints.map(nameEndpoint);
  return {
    requested: requestedOf(request),
    strategy: strategyOf(request, plan, selected),
    region,
    selected: selected && (available[endpoints.indexOf(selected)] ?? nameEndpoint(selected)),
    available,
    total: plan?.total ?? 0,
    isByok: open?.target.credential !== undefined,
    attempt: call.blocked === true ? 1 : attempts.length,
    attempts: reportAttempts(attempts, plan),
    versionGroup: familyFor(plan, selected),
    throughputFloor: floorOf(request),
    pipeline: [
      ...(call.entries ?? []),
      ...routerEntries(plan),
      ...(open?.translation.entries ?? []),
      ...reportTranslation(request, plan, open),
    ],
    generationTime,
  };
}

/**
 * The report of a call that a stage refused: planned for the report alone. Undefined when the client does
 * not ask for one, or the models cannot be found.
 */
export async function reportBlocked(
  call: CallFacts,
  entries: readonly PipelineEntry[],
  services: EvaluationServices,
): Promise<RouteReport | undefined> {
  const { request } = call;
  if (!request.wantsMetadata) return undefined;
  try {
    const judged = evaluateCaller(call, services);
    const { plan } = await evaluateRoute(call, judged, new MeasuredPrompt(request.canonical), services);
    const { region } = services.location();
    return reportRoute({ request, plan, attempts: [], failed: true, blocked: true, entries, region });
  } catch {
    return undefined;
  }
}

/** The plan in its order or, when it is empty, all it was made from. */
function endpointsOf(plan: RoutePlan | undefined): readonly (Target | CollectedEndpoint)[] {
  if (plan === undefined) return [];
  return plan.targets.length > 0 ? plan.targets : [...plan.excluded, ...plan.passedOver];
}

function nameEndpoint({ endpoint, model }: Target | CollectedEndpoint): ReportedEndpoint {
  return { provider: endpoint.provider.name, model: model.id };
}

/** The first model as the request names it. */
function requestedOf({ models: [first = ''], spellings, renamed }: AnyRequest): string {
  return renamed?.has(first) === true ? (spellings?.get(first) ?? first) : first;
}

function strategyOf(
  { models: [requested], renamed }: AnyRequest,
  plan: RoutePlan | undefined,
  selected: Target | undefined,
): RouteReport['strategy'] {
  const routerId = routerNamed(requested?.toLowerCase().split(':')[0] ?? '');
  if (routerId !== undefined) {
    const isChosen = selected === undefined || selected.router?.router === routerId;
    return isChosen ? routerStrategies[routerId] : 'fallback';
  }
  // A retired model is no candidate: the model that answers then is its fallback.
  const first = plan?.candidates.find(({ slug }) => slug === requested);
  if (first?.alias !== undefined) return first.alias === 'latest' ? 'latest' : 'alias';
  const isSelected = selected === undefined || selected.model === first?.model;
  if (isSelected && requested !== undefined && renamed?.has(requested) === true) return 'alias';
  return selected !== undefined && selected.model !== first?.model ? 'fallback' : 'direct';
}

/** What the routers report that the request names, each once. */
export function routerEntries(plan: RoutePlan | undefined): readonly PipelineEntry[] {
  if (plan?.candidates.some(({ router }) => router !== undefined) !== true) return none;
  const chosen = new Set(plan?.candidates.map(({ router }) => router));
  return [...chosen].flatMap((router) => router?.entry ?? []);
}

function familyFor(plan: RoutePlan | undefined, selected: Target | undefined): string | undefined {
  const model = selected?.model ?? plan?.candidates[0]?.model;
  return model && familyOf(model);
}

function floorOf({ provider: { preferredMinThroughput: floor } }: AnyRequest): number | undefined {
  return floor?.p50 ?? floor?.p75 ?? floor?.p90 ?? floor?.p99;
}

function reportAttempts(
  attempts: readonly ProviderAttempt[],
  plan: RoutePlan | undefined,
): readonly ReportedAttempt[] {
  const names = new Map(plan?.targets.map(({ endpoint: { provider } }) => [provider.slug, provider.name]));
  return attempts.map(({ provider, model, status }) => ({
    provider: names.get(provider) ?? provider,
    model,
    status,
  }));
}

/** Which fields of the request were altered for the endpoint that answered, and how. */
function reportTranslation(
  request: AnyRequest,
  plan: RoutePlan | undefined,
  open: RoutedCall['open'],
): readonly PipelineEntry[] {
  const fitted = open === undefined ? [] : alterationsSeen(open.translation.alterations, request);
  const fields = [...(request.altered ?? []), ...(plan?.reduced?.alterations ?? []), ...fitted];
  if (fields.length === 0) return [];
  const count = fields.length === 1 ? '1 field' : `${fields.length} fields`;
  const place = open === undefined ? 'every endpoint' : open.target.endpoint.provider.name;
  const summary = `${count} altered for ${place}`;
  return [{ type: 'plugin', name: 'translation', summary, data: { fields } }];
}
