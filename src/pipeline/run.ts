import type { Delta } from '../core/delta.ts';
import { endsAsLength, type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { ResponseObject, StreamEvent } from '../core/response.ts';
import { type OpenAnswer, openAnswer } from '../routing/attempt.ts';
import type { Ending } from '../settlement/bill.ts';
import { Bracket } from '../settlement/bracket.ts';
import type { JsonObject } from '../util/json.ts';
import { type Admission, admit } from './admission.ts';
import { Answer, type AnswerEnding } from './answer.ts';
import { RefusedCall } from './refused-call.ts';
import { routingMetadata } from './routing-metadata.ts';
import { ClientGone, type InferenceCall, type Services } from './services.ts';
import { shownBody } from './shown-body.ts';

/**
 * The whole way of a request: admit, plan, attempt, assemble, settle. Yields the events of a streamed answer
 * in batches, the terminal one only after the charge is durable (operations.md 6.2), and returns the terminal
 * response; an unstreamed answer yields nothing.
 *
 * Fails by throwing RefusedCall as long as nothing was answered; afterwards a failure is part of the answer.
 * Returns undefined once the client has gone. Leaving the iteration early cancels and settles the call.
 */
export async function* run(
  call: InferenceCall,
  services: Services,
): AsyncGenerator<readonly StreamEvent[], ResponseObject | undefined> {
  const { plan, spending, conversation } = await admit(call, services);
  const bracket = new Bracket(call, services, spending);
  let answer: Answer | undefined;
  let open: OpenAnswer | undefined;
  let openedAt: number | undefined;
  const bodies: unknown[] = [];
  const describe = (failed: boolean): JsonObject | undefined => {
    if (!call.request.wantsMetadata) return undefined;
    const { region } = services.location();
    const generationTime = openedAt === undefined ? undefined : services.clock.now() - openedAt;
    const { attempts } = bracket;
    return routingMetadata({ request: call.request, plan, attempts, open, failed, generationTime, region });
  };
  const finish = async (ending: Ending, error?: HeadgateError) => {
    // Before the charge is booked, which is no part of the answer's time.
    const metadata = describe(ending === 'failed');
    return { bill: await bracket.settle(ending, error), tier: bracket.meter.tier, metadata };
  };
  try {
    open = await attempt({ plan, spending }, call, services, bracket, bodies);
    openedAt = services.clock.now();
    answer = new Answer(call.request, open.target, services.clock);
    answer.begin(bodies);
    for await (const batch of open.batches) {
      const events = tell(batch, open, answer, bracket);
      if (events.length > 0) yield events;
    }
    const response = answer.end(await finish('finished'));
    conversation?.succeeded(open.target, bracket.meter.usage);
    services.toolCallChecks.checkLater(open.target.endpoint, call.request.canonical, response);
    yield answer.take();
    return response;
  } catch (thrown) {
    if (call.signal.reason instanceof ClientGone) return undefined;
    const cause = toHeadgateError(call.signal.aborted ? call.signal.reason : thrown);
    const cutOff = answer?.begun === true && endsAsLength(cause.type);
    const ending: Outcome = await finish(cutOff ? 'finished' : 'failed', cause).catch((failure: unknown) => ({
      unbooked: toHeadgateError(failure),
      metadata: describe(true),
    }));
    // Of an unstreamed answer nothing was shown yet: one that cannot be charged is not given at all.
    const withheld = !call.request.stream && ending.unbooked !== undefined;
    if (!answer?.committed || withheld) {
      throw new RefusedCall(ending.unbooked ?? cause, { metadata: describe(true), bodies });
    }
    const response = conclude(answer, cause, cutOff, ending);
    yield answer.take();
    return response;
  } finally {
    // Whoever got here without settling has gone: nobody is left to tell that booking it failed.
    await bracket.settle('cancelled').catch(() => {});
  }
}

/** The terminal response of an unstreamed request, undefined once its client has gone. Fails as `run` does. */
export async function runWhole(call: InferenceCall, services: Services): Promise<ResponseObject | undefined> {
  const answer = run(call, services);
  for (;;) {
    const { done, value } = await answer.next();
    if (done === true) return value;
  }
}

/** How an answer ended; `unbooked` tells why its charge could not be made durable. */
interface Outcome extends AnswerEnding {
  readonly unbooked?: HeadgateError;
}

/** Ends an answer that did not come to its own end; one that cannot be charged fails, however far it came. */
function conclude(answer: Answer, cause: HeadgateError, cutOff: boolean, ending: Outcome): ResponseObject {
  if (!cutOff || ending.unbooked !== undefined) return answer.fail(ending.unbooked ?? cause, ending);
  answer.cutOff();
  return answer.end(ending);
}

async function attempt(
  { plan, spending }: Pick<Admission, 'plan' | 'spending'>,
  call: InferenceCall,
  services: Services,
  bracket: Bracket,
  bodies: unknown[],
): Promise<OpenAnswer> {
  const { echoUpstreamBody, stream, canonical } = call.request;
  const open = await openAnswer(plan, canonical, {
    upstreams: services.upstreams,
    secrets: services.secrets,
    clock: services.clock,
    signal: call.signal,
    streamed: stream,
    statistics: services.statistics,
    health: services.routing().health,
    maxAttempts: services.routing().maxAttempts,
    fallbacks: call.request.provider.allowFallbacks !== false,
    strict: call.request.strict,
    admit: (target) => spending.admit(target),
    onTry: (made) => bracket.trying(made),
    onAttempt: (made) => bracket.attempts.push(made),
    onBody: echoUpstreamBody && stream ? (body) => bodies.push(shownBody(body, canonical)) : undefined,
  });
  bracket.opened(open.target);
  return open;
}

/** The events that a batch of an endpoint's makes. */
function tell(
  batch: readonly Delta[],
  { translation }: OpenAnswer,
  answer: Answer,
  bracket: Bracket,
): readonly StreamEvent[] {
  bracket.meter.watch(batch);
  const { restore } = translation;
  for (const delta of restore === undefined ? batch : restore(batch)) answer.push(delta);
  return answer.take();
}
