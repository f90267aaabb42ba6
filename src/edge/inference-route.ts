import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { Answer, AnswerBill, AnswerPart, AnswerParts, EndedPart } from '../core/answer-part.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import { chatOf } from '../core/request.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import { keepAliveComment, type PublicDialect } from '../dialects/public-dialect.ts';
import { EventStreamWriter, eventStreamHeaders } from '../http/event-stream.ts';
import { type HttpReply, sendAnswer } from '../http/reply.ts';
import type { ReceivedRequest } from '../http/request.ts';
import { type EvaluatedCaller, evaluateCaller } from '../pipeline/evaluate-request.ts';
import { RefusedCall } from '../pipeline/refused-call.ts';
import type { FoundAnswer } from '../pipeline/request-events.ts';
import { run } from '../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../pipeline/services.ts';
import { cachedAnswerLimits } from '../ports/cached-answers.ts';
import { isPrepaid } from '../settlement/admit.ts';
import type { Caller } from '../settlement/caller.ts';
import { mapBatches } from '../util/map-batches.ts';
import { type AppliedPreset, applyPreset, mayNamePreset } from './apply-preset.ts';
import { describeFailedCall } from './describe-failure.ts';
import { answerIdempotently, idempotencyKeyOf } from './idempotent-answer.ts';
import type { CacheServices, CachingServices, InferenceServices } from './inference-services.ts';
import { pumpAnswer, refuseFailed } from './pump-answer.ts';
import { type ReadCall, readCall, serviceHeader } from './read-call.ts';
import type { RouteCall } from './route.ts';
import { RunningCall } from './running-call.ts';
import { withTrace } from './trace-exchange.ts';

/** Seconds that an answer is kept unless the request says, at least and at most. */
const usualLifetime = 300;
const longestLifetime = 86_400;

/** How a request wants its answer cached. */
interface AnswerCaching {
  /** Who asks. */
  readonly owner: Pick<FoundAnswer, 'accountId' | 'keyHash' | 'workspaceId'>;
  /** Equal for requests that may share an answer. */
  readonly key: string;
  /** Seconds. */
  readonly lifetime: number;
  /** Whether what is kept shall be forgotten first. */
  readonly clears: boolean;
}

/**
 * How a request wants its answer cached; undefined where it does not, or nothing may be kept of it
 * (docs/spec/caching.md#when). Costs nothing where no header and no preset asks for it.
 */
function answerCachingOf(
  received: ReceivedRequest,
  read: ReadCall,
  services: CachingServices,
): AnswerCaching | undefined {
  const { aliases } = services.config.compat;
  const header = (name: string) => serviceHeader(received, name, aliases)?.trim().toLowerCase();
  if (!isWanted(header('cache'), read.preset) || !mayKeep(read, services)) return undefined;
  const key = keyOf(received, read, services);
  if (key === undefined) return undefined;
  const lifetime =
    readLifetime(header('cache-ttl')) ?? readLifetime(read.preset?.cacheTtlSeconds) ?? usualLifetime;
  const { account, key: apiKey } = read.call.caller;
  const owner = { accountId: account.id, keyHash: apiKey.hash, workspaceId: apiKey.workspaceId };
  return { owner, key, lifetime, clears: header('cache-clear') === 'true' };
}

/** The preset's refusal wins, then the header's, then either's wish. */
function isWanted(header: string | undefined, preset: AppliedPreset | undefined): boolean {
  if (preset?.cacheEnabled === false || header === 'false') return false;
  return header === 'true' || preset?.cacheEnabled === true;
}

/** Whole seconds by the digits a value begins with, within bounds; undefined without any. */
function readLifetime(value: string | number | undefined): number | undefined {
  const digits = value === undefined ? undefined : /^\d+/.exec(String(value))?.[0];
  return digits === undefined ? undefined : Math.min(Math.max(Number(digits), 1), longestLifetime);
}

/** Whether the caller may spend something now, and neither it nor its account asks that nothing be retained. */
function mayKeep({ call }: ReadCall, services: CachingServices): boolean {
  const { account, funds } = call.caller;
  const { zdr } = call.request.provider;
  if (account.zeroRetention || zdr === true) return false;
  if (isPrepaid(account) && funds.balance <= zeroUsd) return false;
  let judged: EvaluatedCaller;
  try {
    judged = evaluateCaller(call, services);
  } catch {
    // Answering says why.
    return false;
  }
  const { candidates, policy, refusal } = judged;
  if (refusal !== undefined) return false;
  return policy.zeroRetention === undefined || !candidates.some(({ model }) => policy.zeroRetention?.(model));
}

/** Everything that an answer depends on besides chance. Nothing for a body too deep to be written. */
function keyOf(
  { body, id: _id }: ReceivedRequest,
  { call, dialect, preset }: ReadCall,
  services: CachingServices,
): string | undefined {
  const { request, caller } = call;
  const catalogue = services.catalogue();
  const models = request.models.map((slug) => {
    const found = resolveSlug(slug, catalogue, caller.account.id);
    return found.outcome === 'model' ? [slug, found.model.id] : [slug];
  });
  const facts = [
    caller.key.hash,
    dialect.name,
    request.stream,
    models,
    request.strict,
    chatOf(request.canonical)?.betas ?? null,
    preset?.versionId ?? null,
    services.guardrails?.of(caller)?.applied ?? null,
    caller.defaults ?? null,
    request.plugins ?? null,
    body,
  ];
  try {
    return hash('sha256', JSON.stringify(facts, exactAmount), 'base64url');
  } catch {
    return undefined;
  }
}

/** Amounts of money are no JSON. */
function exactAmount(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/**
 * Answers a request of a public dialect: checks the body, runs the pipeline, and sends the answer as one body or as a
 * stream.
 * @throws HeadgateError or RefusedCall as long as nothing was sent.
 */
export async function answerInference(
  request: ReceivedRequest & Pick<RouteCall, 'trace'>,
  reply: HttpReply,
  caller: Caller,
  dialect: PublicDialect,
  services: InferenceServices,
): Promise<void> {
  const { received, preset } = mayNamePreset(request.body)
    ? await applyPreset(request, caller, dialect.name, services)
    : { received: request, preset: undefined };
  const read = withTrace(readCall(received, caller, dialect, services, preset), request);
  const idempotency = idempotencyKeyOf(request, read.call.request, caller, dialect);
  if (idempotency !== undefined) return answerIdempotently(read, idempotency, services, reply);
  const caching = answerCachingOf(request, read, services);
  const source = caching === undefined ? fromModel(services) : await cachedSource(caching, services);
  if (request.trace !== undefined) request.trace.cache = source.cache;
  return answerOnce(read, source, reply, services);
}

function fromModel(services: InferenceServices): AnswerSource {
  return { answer: (call) => run(call, services), headers: {} };
}

/** A call with where its answer comes from. */
type SourcedCall = ReadCall & { readonly source: AnswerSource };

async function answerOnce(
  read: ReadCall,
  source: AnswerSource,
  reply: HttpReply,
  services: InferenceServices,
): Promise<void> {
  const { stream } = read.call.request;
  const running = new RunningCall(services, { streamed: stream, target: reply, facts: read.call });
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) running.giveUp(new ClientGone('The client closed the connection.'));
  });
  const call = running.within(read.call);
  try {
    if (stream) await answerStream(call, { ...read, source }, services, reply, running);
    else await answerWhole(call, { ...read, source }, services, reply);
  } finally {
    running.over();
  }
}

async function answerWhole(
  call: InferenceCall,
  { createWriter, dialect, source }: SourcedCall,
  services: InferenceServices,
  reply: HttpReply,
): Promise<void> {
  const writer = createWriter();
  const ended = await pumpAnswer(
    source.answer(call),
    writer,
    () => undefined,
    (further) => reply.addHeaders(further),
  );
  // The client has gone where the answer has no end.
  if (ended === undefined) return;
  refuseFailed(ended, dialect);
  reply.addHeaders(source.headers);
  const { sendTimeout } = services.config.server;
  await sendAnswer(reply, { status: 200, body: writer.body(), sendTimeout });
}

async function answerStream(
  call: InferenceCall,
  read: SourcedCall,
  services: InferenceServices,
  reply: HttpReply,
  running: RunningCall,
): Promise<void> {
  const headers = { ...reply.headers, ...eventStreamHeaders, ...read.source.headers };
  const writer = read.createWriter();
  const { clock, config } = services;
  const alive = () => writer.keepAlive?.(running.progress.turn?.state.model, clock.now()) ?? keepAliveComment;
  const { keepAlive, sendTimeout } = config.server;
  const terms = { keepAlive, sendTimeout, closes: config.compat.closeStreams };
  const stream = new EventStreamWriter(reply.raw, headers, terms, alive);
  try {
    const send = (text: string, isLast: boolean) => {
      running.begun();
      if (!isLast) return stream.write(text);
      stream.end(text);
      return undefined;
    };
    await pumpAnswer(read.source.answer(call), writer, send, (further) => stream.addHeaders(further));
  } catch (thrown) {
    if (!stream.committed) throw thrown;
    // A silence may have begun the answer already.
    const begun = { ...read, createWriter: () => writer };
    stream.end(describeFailedCall(RefusedCall.of(thrown), begun, services).inStream);
  } finally {
    stream.stop();
  }
}

/** Where an answer comes from, and the headers of one that does not fail. */
interface AnswerSource {
  readonly answer: (call: InferenceCall) => Answer;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it was in the cache; undefined where it was not looked for. */
  readonly cache?: 'hit' | 'miss';
}

/** What is sealed. */
interface KeptAnswer {
  readonly batches: readonly AnswerParts[];
  /** The generation that made it. */
  readonly sourceId: string;
  readonly cost: NanoUsd;
}

/** Tools of the gateway and of providers that change nothing anywhere. */
const harmless = new Set([
  'service:web_search',
  'service:web_fetch',
  'service:search_models',
  'web_search_call',
  'file_search_call',
]);

/**
 * The answer kept for an equal request, else one that is made and kept once it is complete (docs/spec/caching.md). Equal
 * requests that run at the same time are not merged.
 */
async function cachedSource(caching: AnswerCaching, services: CacheServices): Promise<AnswerSource> {
  const { key, lifetime, clears } = caching;
  if (clears) await services.cachedAnswers.forget(key);
  const found = clears ? undefined : await services.cachedAnswers.find(key);
  const bytes = found && services.answerSeal.open(found.sealed, key);
  if (found === undefined || bytes === undefined) {
    services.events.lookedForCached(undefined);
    return {
      answer: (call) => recorded(run(call, services), call, caching, services),
      cache: 'miss',
      headers: { 'x-service-cache-status': 'MISS', 'x-service-cache-ttl': String(lifetime) },
    };
  }
  const kept: KeptAnswer = deserialize(bytes);
  services.events.lookedForCached({ ...caching.owner, model: modelOf(kept), saved: kept.cost });
  const now = services.clock.now();
  const seconds = (milliseconds: number) => String(Math.max(0, Math.floor(milliseconds / 1000)));
  return {
    answer: (call) => replayed(kept, call, services),
    cache: 'hit',
    headers: {
      'x-service-cache-status': 'HIT',
      'x-service-cache-ttl': seconds(found.expiresAt - now),
      'x-service-cache-age': seconds(now - found.storedAt),
      'x-service-cache-source-id': kept.sourceId,
    },
  };
}

/** The model that made an answer: that of its first turn. */
function modelOf({ batches }: KeptAnswer): string {
  for (const parts of batches) for (const part of parts) if (part.kind === 'opened') return part.model;
  return '';
}

/** Passes an answer on and keeps it once it is complete; one that is too long or did something is not kept. */
function recorded(
  answer: Answer,
  { generationId }: InferenceCall,
  { key, lifetime }: AnswerCaching,
  { cachedAnswers, answerSeal, clock }: CacheServices,
): Answer {
  let batches: AnswerParts[] | undefined = [];
  let size = 0;
  return mapBatches(answer, async (parts) => {
    if (batches === undefined) return parts;
    for (const part of parts) size += sizeOf(part);
    if (size > cachedAnswerLimits.entry || parts.some(hasEffect)) batches = undefined;
    else batches.push(parts.filter(isKept));
    const ended = parts.at(-1);
    if (ended?.kind !== 'ended' || batches === undefined || !isComplete(ended)) return parts;
    const kept: KeptAnswer = { batches, sourceId: generationId, cost: ended.bill?.charge ?? zeroUsd };
    const storedAt = clock.now();
    const sealed = answerSeal.seal(serialize(withoutMoney(kept)), key);
    await cachedAnswers.keep(key, { sealed, storedAt, expiresAt: storedAt + lifetime * 1000 });
    return parts;
  });
}

/** Only what the model said to its end. */
function isComplete({ finish, error }: EndedPart): boolean {
  return error === undefined && (finish === 'stop' || finish === 'tool_calls');
}

function hasEffect(part: AnswerPart): boolean {
  const { kind } = part;
  if (kind === 'suspended') return true;
  return (kind === 'executing' || kind === 'executed' || kind === 'hosted') && !harmless.has(part.type);
}

/** What belongs to the call that made the answer stays with it. */
function isKept({ kind }: AnswerPart): boolean {
  return kind !== 'settled' && kind !== 'sent' && kind !== 'reported' && kind !== 'usage';
}

function withoutMoney({ batches, ...rest }: KeptAnswer): KeptAnswer {
  const stripped = batches.map((parts) =>
    parts.map((part) => (part.kind === 'ended' ? { ...part, bill: undefined, report: undefined } : part)),
  );
  return { ...rest, batches: stripped };
}

const nothingUsed: AnswerBill = {
  usage: { uncachedInput: 0, cacheRead: 0, output: 0, reasoning: 0 },
  cost: { total: zeroUsd, input: zeroUsd, output: zeroUsd },
  unpriced: false,
  charge: zeroUsd,
  isByok: false,
};

/** A kept answer as if it was made now, at no cost. */
async function* replayed(
  { batches }: KeptAnswer,
  { signal }: InferenceCall,
  { clock, config }: CacheServices,
): Answer {
  const { cachedReplayDelay: delay } = config.responses;
  for (const [index, parts] of batches.entries()) {
    if (delay > 0 && index > 0) await wait(delay, undefined, { signal }).catch(() => {});
    if (signal.aborted) return undefined;
    yield parts.map((part): AnswerPart => {
      if (part.kind === 'opened') return { ...part, at: clock.now() };
      return part.kind === 'ended' ? { ...part, bill: nothingUsed, at: clock.now() } : part;
    });
  }
  return undefined;
}

/** Roughly, in characters. */
function sizeOf(part: AnswerPart): number {
  let size = 32;
  for (const value of Object.values(part)) {
    if (typeof value === 'string') size += value.length;
    else if (value instanceof Float32Array) size += value.byteLength;
    else if (typeof value === 'object' && value !== null) size += 256;
  }
  return size;
}
