import type { Delta } from '../core/delta.ts';
import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import type { Upstream, UpstreamRegistry } from '../ports/upstream.ts';
import { translate } from '../translation/translate.ts';
import type { Translation } from '../translation/translation.ts';
import { combineFailures, type FailedAttempt } from './failed-attempts.ts';
import type { RoutePlan, Target } from './route-plan.ts';

/** What walking a plan needs. */
export interface AttemptContext {
  readonly upstreams: UpstreamRegistry;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether fragments are wanted as they come. */
  readonly streamed: boolean;
  /** Asked before each endpoint: an error says that the request may not spend what this one may cost. */
  readonly admit: (target: Target) => HeadgateError | undefined | Promise<HeadgateError | undefined>;
  /** Told each endpoint before it is asked. */
  readonly onTry: (target: Target) => void;
  /** Told each attempt as it ends or begins to answer. */
  readonly onAttempt: (attempt: ProviderAttempt) => void;
  /** Told each body sent, when someone asked to see it. */
  readonly onBody?: (body: unknown) => void;
}

/** An endpoint that has begun to answer: from here on no other can take over. */
export interface OpenAnswer {
  readonly target: Target;
  /** Everything the endpoint says, from its first delta, in its own words. */
  readonly batches: AsyncIterable<readonly Delta[]>;
  /** What was altered for the endpoint, and what turns its words into those the caller expects. */
  readonly translation: Omit<Translation, 'request'>;
}

/**
 * Tries the plan's endpoints in order until one begins to answer (routing.md 5). A failure before the first
 * visible delta hands over silently; how far it skips is the error's own `next`. An endpoint that is not
 * admitted is passed over.
 * @throws HeadgateError when all failed, with every attempt in `previous_errors`; the refusal when the last
 * endpoints were not admitted; the signal's reason when aborted.
 */
export async function openAnswer(
  plan: RoutePlan,
  request: CanonicalRequest,
  context: AttemptContext,
): Promise<OpenAnswer> {
  const failures: FailedAttempt[] = [];
  let refusal: HeadgateError | undefined;
  for (const target of plan.targets) {
    const last = failures.at(-1);
    if (last?.error.next === 'model' && last.target.model === target.model) continue;
    refusal = await context.admit(target);
    if (refusal !== undefined) continue;
    const outcome = await tryTarget(target, plan, request, context);
    if ('batches' in outcome) return outcome;
    context.signal.throwIfAborted();
    failures.push(outcome);
    if (outcome.error.next === 'stop') break;
  }
  throw refusal ?? combineFailures(failures, plan);
}

async function tryTarget(
  target: Target,
  plan: RoutePlan,
  request: CanonicalRequest,
  context: AttemptContext,
): Promise<OpenAnswer | FailedAttempt> {
  const began = context.clock.now();
  const report = (status: number) => {
    const { provider, tag } = target.endpoint;
    const latency = context.clock.now() - began;
    context.onAttempt({ provider: provider.slug, model: target.model.id, tag, status, latency });
  };
  context.onTry(target);
  try {
    const upstream = findUpstream(target, context);
    const { provider, upstreamModel } = target.endpoint;
    const support = upstream.support(provider, upstreamModel);
    const translation = translate(request, plan.used, { ...target, support });
    const stream = startStream(upstream, target, translation.request, context);
    const held = await readUntilVisible(stream);
    report(200);
    return { target, batches: resume(held, stream), translation };
  } catch (thrown) {
    const error = toHeadgateError(thrown);
    report(error.status);
    return { target, error };
  }
}

function findUpstream({ endpoint }: Target, { upstreams }: AttemptContext): Upstream {
  const upstream = upstreams.get(endpoint.provider.adapter);
  if (upstream !== undefined) return upstream;
  throw new HeadgateError('provider_failed', `No adapter "${endpoint.provider.adapter}" is installed.`);
}

function startStream(
  upstream: Upstream,
  { endpoint, model }: Target,
  request: CanonicalRequest,
  { streamed, signal, onBody }: AttemptContext,
): AsyncIterator<readonly Delta[]> {
  return upstream.stream({ request, model, endpoint, streamed, signal, onBody })[Symbol.asyncIterator]();
}

const invisible: ReadonlySet<Delta['kind']> = new Set(['start', 'usage', 'tier', 'end']);

async function readUntilVisible(
  stream: AsyncIterator<readonly Delta[]>,
): Promise<readonly (readonly Delta[])[]> {
  const held: (readonly Delta[])[] = [];
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) throw new HeadgateError('provider_failed', 'The provider sent an empty answer.');
    held.push(value);
    if (value.some((delta) => !invisible.has(delta.kind))) return held;
  }
}

async function* resume(
  held: readonly (readonly Delta[])[],
  stream: AsyncIterator<readonly Delta[]>,
): AsyncGenerator<readonly Delta[]> {
  try {
    yield* held;
    for (;;) {
      const { done, value } = await stream.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    await stream.return?.();
  }
}
