import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import { chatOf } from '../core/request.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import { ownEndpoint } from '../routing/own-endpoint.ts';
import type { Target } from '../routing/route-plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { upperBoundEstimate } from '../settlement/upper-bound-estimate.ts';
import { ActiveStages } from '../stages/active-stages.ts';
import { getsFiles } from '../stages/file-parser/file-parser.ts';
import type { StageContext } from '../stages/stage.ts';
import { featuresUsed } from '../translation/features-used.ts';
import { translate } from '../translation/translate.ts';
import { refusedTool } from './disabled-tools.ts';
import { evaluateCaller, evaluateRoute } from './evaluate-request.ts';
import { RefusedCall } from './refused-call.ts';
import { reportBlocked, reportRoute } from './route-report.ts';
import type { Services } from './services.ts';
import { canSay, namedTargets } from './stage-context.ts';

/** How many tokens a request's input has. */
export interface InputCount {
  readonly tokens: number;
  /** Whether the provider counted, or the gateway estimated. */
  readonly exact: boolean;
}

/** Milliseconds for a provider to count. */
const countingTime = 3_000;
/** Requests of one key that providers may count at a time. */
const mostAtOnce = 4;

const counting = new Map<string, number>();

/**
 * Counts the input of a request as it would be sent (docs/spec/messages.md#counting-tokens): by the first endpoint of its
 * plan where that can count, else as an estimate that is rather too high. Guardrails, disabled tools and rules of files hold as
 * for a request that is answered. Nothing is charged, recorded or reserved.
 * @throws HeadgateError for models that cannot be found; RefusedCall where a guardrail or a rule refuses, or routing leaves no
 *   endpoint.
 */
export async function countInput(
  asked: CallFacts,
  services: Services,
  { signal, room }: { readonly signal: AbortSignal; readonly room: AnswerRoom },
): Promise<InputCount> {
  const disabled = refusedTool(asked);
  if (disabled !== undefined) throw new RefusedCall(disabled);
  const judged = evaluateCaller(asked, services);
  const request = await prepare(asked, services, signal);
  const call = request === asked.request ? asked : { ...asked, request };
  const { canonical } = request;
  const route = await evaluateRoute(call, judged, new MeasuredPrompt(canonical), services);
  const estimate = { tokens: upperBoundEstimate(canonical), exact: false };
  // A prompt that fits nowhere is counted all the same: its sender wants to know by how much.
  if (route.refusal?.type === 'context_length_exceeded') return estimate;
  if (route.refusal !== undefined) {
    const { region } = services.location();
    const report = request.wantsMetadata
      ? reportRoute({ request, plan: route.plan, attempts: [], failed: true, region })
      : undefined;
    throw new RefusedCall(route.refusal, { report });
  }
  const [target] = route.plan.targets;
  const running = counting.get(asked.caller.key.hash) ?? 0;
  if (target === undefined || running >= mostAtOnce || !mayLeave(request, target, services)) return estimate;
  counting.set(asked.caller.key.hash, running + 1);
  try {
    const tokens = await countAt(target, call, services, { signal, room });
    return tokens === undefined ? estimate : { tokens, exact: true };
  } finally {
    const left = (counting.get(asked.caller.key.hash) ?? 1) - 1;
    if (left > 0) counting.set(asked.caller.key.hash, left);
    else counting.delete(asked.caller.key.hash);
  }
}

/** The request as the stages let it pass that guard what leaves. @throws RefusedCall when one refuses it. */
async function prepare(call: CallFacts, services: Services, signal: AbortSignal): Promise<AnyRequest> {
  const guarding = services.stages.filter(({ guardsCounts }) => guardsCounts === true);
  const active = ActiveStages.of(call.request, guarding, call.caller);
  if (active === undefined) return call.request;
  try {
    return await active.prepare(call.request, contextOf(call, services, signal), false);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const entries = active.report(true);
    services.events.blocked(entries);
    throw new RefusedCall(toHeadgateError(thrown), { report: await reportBlocked(call, entries, services) });
  }
}

/** What stages may use here: nothing that takes a turn or costs something. */
function contextOf(call: CallFacts, services: Services, signal: AbortSignal): StageContext {
  const { account, key } = call.caller;
  const refuse = () => Promise.reject(new Error('Counting tokens takes no turn and costs nothing.'));
  return {
    accountId: account.id,
    workspaceId: key.workspaceId,
    keyHash: key.hash,
    signal,
    innerTurn: refuse,
    checkMeans: refuse,
    reserve: refuse,
    charge: refuse,
    targets: (request) => namedTargets(call, request, services),
    supports: (target, feature, request) => canSay(target, feature, services, request),
    scan: (parts) => Promise.resolve(parts),
    onlyCounts: true,
  };
}

/**
 * Whether a provider may read the request for its count. Files that the gateway would read itself, and texts that a moderator
 * would have to judge first, stay here.
 */
function mayLeave(request: AnyRequest, target: Target, services: Services): boolean {
  const isModerated = request.plugins?.some(({ id, enabled }) => id === 'moderation' && enabled) === true;
  if (isModerated || target.endpoint.isModerated === true) return false;
  return getsFiles(target, request, {
    supports: (one, feature, given) => canSay(one, feature, services, given),
  });
}

/** The provider's own count; undefined where it cannot count, fails, or takes too long. */
async function countAt(
  target: Target,
  { request: { canonical } }: CallFacts,
  { upstreams, secrets }: Services,
  { signal, room }: { readonly signal: AbortSignal; readonly room: AnswerRoom },
): Promise<number | undefined> {
  const { endpoint: listed, model, credential } = target;
  const upstream = upstreams.get(listed.provider.adapter);
  const chat = chatOf(canonical);
  if (upstream?.count === undefined || chat === undefined) return undefined;
  try {
    const endpoint =
      credential === undefined || secrets === undefined
        ? listed
        : ownEndpoint(listed, await secrets.open(credential));
    const support = upstream.support(endpoint.provider, endpoint.upstreamModel);
    const { request } = translate(chat, featuresUsed(chat), { model, endpoint, support });
    const limited = AbortSignal.any([signal, AbortSignal.timeout(countingTime)]);
    const answer = upstream.count({ request, model, endpoint, streamed: false, signal: limited, room });
    let tokens: number | undefined;
    for await (const batch of answer) {
      for (const delta of batch) if (delta.kind === 'usage') tokens = delta.usage.uncachedInput;
    }
    return tokens;
  } catch (thrown) {
    if (thrown instanceof HeadgateError || limitedBy(thrown)) return undefined;
    throw thrown;
  }
}

/** Whether an error is the end of the time for counting. */
function limitedBy(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'TimeoutError';
}
