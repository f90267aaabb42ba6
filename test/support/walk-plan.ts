import assert from 'node:assert/strict';
import type { Endpoint, Model } from '../../src/core/catalogue.ts';
import type { Delta } from '../../src/core/delta.ts';
import { type ErrorCode, HeadgateError } from '../../src/core/errors.ts';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { parseInferenceRequest } from '../../src/dialects/responses/request/parse-inference-request.ts';
import { roomOf } from '../../src/ports/answer-room.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { ProviderAttempt } from '../../src/ports/generations.ts';
import { type AttemptContext, openAnswer } from '../../src/routing/attempt.ts';
import type { RoutePlan, Target } from '../../src/routing/route-plan.ts';
import { MemoryEndpointStatistics } from '../../src/shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { modelOf, providerOf } from './catalogue.ts';
import { planOf, targetOf } from './route-plan.ts';
import { type Script, ScriptedUpstream } from './scripted-upstream.ts';

const { canonical } = parseInferenceRequest(
  { model: 'acme/atlas', input: 'Hi' },
  { headers: {}, aliases: [], echoDefaults: false, hashEndUser: (raw: string) => raw },
).request;
/** A piece of the one message of an answer. */
export const text = (value: string): Delta => ({ kind: 'text', block: 0, text: value });
/** What a provider says it took. */
export const usage: Delta = { kind: 'usage', usage: { output: 10 } };
/** The end of an answer. */
export const stop: Delta = { kind: 'finish', reason: 'stop' };
/** An endpoint that answers "Hi". */
export const good: Script = [[{ kind: 'start' }], [text('Hi')], [usage, stop]];
/** An endpoint that fails before it says anything. */
export const fails = (code: ErrorCode, retryAfter?: number): Script => [
  new HeadgateError(code, `${code} happened.`, { retryAfter }),
];

/** Walks a plan; what was tried and said by whom, and what was told on the way. */
export async function walk(
  targets: readonly Target[],
  scripts: Readonly<Record<string, Script>>,
  change: Partial<AttemptContext> = {},
  plan: Partial<RoutePlan> = {},
) {
  const upstream = new ScriptedUpstream(scripts);
  const statistics = new MemoryEndpointStatistics(systemClock);
  const attempts: ProviderAttempt[] = [];
  const tried: string[] = [];
  const said: Delta[] = [];
  let error: HeadgateError | undefined;
  let answeredBy: string | undefined;
  try {
    const open = await openAnswer({ ...planOf(targets), ...plan }, canonical, {
      upstreams: new Map([['scripted', upstream]]),
      clock: systemClock,
      signal: new AbortController().signal,
      streamed: true,
      statistics,
      health: usualRoutingRules.health,
      fallbacks: true,
      maxAttempts: usualRoutingRules.maxAttempts,
      retrySame: false,
      strict: false,
      room: roomOf(32 * 1024 * 1024),
      admit: () => undefined,
      onTry: (made) => tried.push(made?.target.endpoint.tag ?? 'nobody'),
      onAttempt: (attempt) => attempts.push(attempt),
      ...change,
    });
    answeredBy = open.target.endpoint.tag;
    for await (const batch of open.batches) said.push(...batch);
  } catch (thrown) {
    // A client that leaves gets its own reason back, whatever that is.
    if (thrown instanceof HeadgateError) error = thrown;
    else assert.ok(thrown !== undefined && thrown === change.signal?.reason, String(thrown));
  }
  const statuses = attempts.map(({ tag, status }) => `${tag} ${status}`);
  const asked = upstream.calls.map(({ endpoint }) => endpoint.tag);
  return { upstream, statistics, statuses, attempts, tried, asked, said, error, answeredBy };
}

/** A model with an endpoint for each provider, and in what they differ from any other. */
export function model(id: string, endpoints: Readonly<Record<string, Partial<Endpoint>>>): Model {
  const providers = Object.keys(endpoints).map((slug) => providerOf({ slug, adapter: 'scripted' }));
  const made = modelOf(id, providers);
  const varied = made.endpoints.map((endpoint) => ({ ...endpoint, ...endpoints[endpoint.tag] }));
  return { ...made, endpoints: varied };
}

/** The endpoints of models in their order, each with the shared credential. */
export const targetsOf = (...models: Model[]) =>
  models.flatMap((one) => one.endpoints.map((endpoint) => targetOf(one, endpoint)));

/** How often each outcome was told of an endpoint. */
export function outcomes(statistics: MemoryEndpointStatistics, endpoint: Endpoint, credentialId?: string) {
  const counts: Partial<Record<string, number>> =
    statistics.outcomes({ endpoint, credentialId })?.outcomes('5m') ?? {};
  return Object.fromEntries(Object.entries(counts).filter(([, count = 0]) => count > 0));
}
