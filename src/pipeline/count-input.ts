import { HeadgateError } from '../core/errors.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import { ownEndpoint } from '../routing/own-endpoint.ts';
import type { Target } from '../routing/route-plan.ts';
import type { CallFacts } from '../settlement/bracket.ts';
import { generousEstimate } from '../settlement/generous-estimate.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { featuresUsed } from '../translation/features-used.ts';
import { translate } from '../translation/translate.ts';
import { judgeCaller, judgeRoute } from './judge.ts';
import { RefusedCall } from './refused-call.ts';
import { reportRoute } from './route-report.ts';
import type { Services } from './services.ts';

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
 * plan where that can count, else as an estimate that is rather too high. Nothing is charged, recorded or reserved.
 * @throws HeadgateError for models that cannot be found, RefusedCall where routing leaves no endpoint.
 */
export async function countInput(
  call: CallFacts,
  services: Services,
  { signal, room }: { readonly signal: AbortSignal; readonly room: AnswerRoom },
): Promise<InputCount> {
  const { request, caller } = call;
  const { canonical } = request;
  const judged = judgeCaller(call, services);
  const route = await judgeRoute(call, judged, new MeasuredPrompt(canonical), services);
  const estimate = { tokens: generousEstimate(canonical), exact: false };
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
  const running = counting.get(caller.key.hash) ?? 0;
  if (target === undefined || running >= mostAtOnce) return estimate;
  counting.set(caller.key.hash, running + 1);
  try {
    const tokens = await countAt(target, call, services, { signal, room });
    return tokens === undefined ? estimate : { tokens, exact: true };
  } finally {
    const left = (counting.get(caller.key.hash) ?? 1) - 1;
    if (left > 0) counting.set(caller.key.hash, left);
    else counting.delete(caller.key.hash);
  }
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
  if (upstream?.count === undefined) return undefined;
  try {
    const endpoint =
      credential === undefined || secrets === undefined
        ? listed
        : ownEndpoint(listed, await secrets.open(credential));
    const support = upstream.support(endpoint.provider, endpoint.upstreamModel);
    const { request } = translate(canonical, featuresUsed(canonical), { model, endpoint, support });
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
