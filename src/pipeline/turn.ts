import type { AnswerBill, AnswerPart, AnswerParts, TurnEnd } from '../core/answer-part.ts';
import { offeredTools } from '../core/client-tools.ts';
import type { Delta } from '../core/delta.ts';
import { endsAsLength } from '../core/ends-as-length.ts';
import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { ModelCall } from '../core/model-call.ts';
import { type CanonicalRequest, chatOf } from '../core/request.ts';
import type { PipelineEntry, RouteReport } from '../core/route-report.ts';
import type { TracedTurn } from '../ports/request-trace.ts';
import { type FitRequest, type OpenAnswer, openAnswer } from '../routing/attempt.ts';
import { CallSettlement } from '../settlement/call-settlement.ts';
import { type Ending, endingOfFailure } from '../settlement/cost.ts';
import { EndpointRates } from '../settlement/endpoint-rates.ts';
import { GrowingText } from '../util/growing-text.ts';
import type { JsonObject } from '../util/json.ts';
import { shownUrl } from '../util/shown-url.ts';
import { type Admission, admit } from './admission.ts';
import type { CallOutcome, TurnState } from './call-progress.ts';
import { Parting } from './parting.ts';
import { RefusedCall } from './refused-call.ts';
import { reportRoute, routerEntries } from './route-report.ts';
import { rememberModel } from './routed-conversation.ts';
import { ClientGone, type InferenceCall, type Services } from './services.ts';

/** Where a turn stands in a request of several steps. */
export interface TurnPlace {
  /** Whether an earlier turn was part of the answer, which then cannot be refused any more. */
  readonly isContinued: boolean;
  readonly fit?: FitRequest;
  /** What stages and tools did that no record has yet; read once, as the turn is settled. */
  readonly entries?: () => readonly PipelineEntry[];
}

/**
 * One completion by a model: admit, plan, attempts, deltas, one settlement around them, one generation record. Yields the
 * parts of the answer in batches, the last one only after the charge is durable
 * (docs/spec/operations.md#durable-before-visible). Returns how the turn ended; undefined when the client has gone.
 *
 * Fails by throwing RefusedCall as long as nothing was answered; afterwards a failure is part of the answer. Leaving the
 * iteration early cancels and settles the turn; an error thrown into it fails the turn.
 *
 * @param place Undefined where the request is this one turn: then the last part is `ended`.
 */
export async function* turn(
  call: InferenceCall,
  services: Services,
  place?: TurnPlace,
): AsyncGenerator<AnswerParts, TurnEnd | undefined> {
  // A client may leave while a stage or a tool works, between two turns.
  if (call.signal.reason instanceof ClientGone) return undefined;
  let admission: Admission;
  try {
    admission = await admit(call, services);
  } catch (thrown) {
    if (place?.isContinued !== true) {
      if (call.depth === undefined) services.events.turnedAway(call, thrown);
      throw thrown;
    }
    const { error, report } = RefusedCall.of(thrown);
    return { error, report };
  }
  const running = new RunningTurn(call, admission, services, place);
  let hasYielded = false;
  try {
    const { reduced } = admission.plan;
    // Before any endpoint is asked, so that headers can tell it.
    if (reduced !== undefined) yield [{ kind: 'left_out', tools: reduced.tools }];
    const open = await running.open();
    for await (const batch of running.batches(open)) {
      const parts = running.read(batch, open);
      if (running.isLeft) return undefined;
      if (parts.length === 0) continue;
      yield parts;
      hasYielded = true;
    }
    const end = await running.finish(open);
    yield running.closing(end);
    return end;
  } catch (thrown) {
    if (running.isLeft) return undefined;
    const end = await running.fail(thrown, hasYielded);
    yield running.closing(end);
    return end;
  } finally {
    if (!running.isSettled) await running.cancel();
  }
}

/** What settling a turn came to; `unbooked` is why its charge could not be made durable. */
interface Settled extends Pick<TurnEnd, 'bill' | 'report'> {
  readonly unbooked?: HeadgateError;
}

/** A turn from its admission to its settlement: its attempts, its deltas, and what they cost. */
export class RunningTurn {
  readonly #call: InferenceCall;
  readonly #services: Services;
  readonly #admission: Admission;
  readonly #place: TurnPlace | undefined;
  readonly #settlement: CallSettlement;
  readonly #watch: AnswerWatch;
  readonly #bodies: unknown[] = [];
  readonly #parting: Parting;
  /** Its note for spans. */
  readonly #traced: TracedTurn | undefined;
  #open: OpenAnswer | undefined;
  #openedAt: number | undefined;
  #isSettled = false;
  #isOpened = false;

  /** @param place Undefined where the request is this one turn. */
  constructor(call: InferenceCall, admission: Admission, services: Services, place: TurnPlace | undefined) {
    this.#place = place;
    this.#call = call;
    this.#services = services;
    this.#admission = admission;
    this.#settlement = new CallSettlement(call, services, admission.spending);
    this.#parting = new Parting(this.#settlement.meter);
    this.#traced = call.trace?.beginTurn(call.request, call.traceSpan);
    // Inner turns are part of what a stage or a tool does.
    if (call.progress !== undefined && call.depth === undefined) call.progress.turn = this;
    this.#watch = new AnswerWatch(chatOf(call.request.canonical)?.reasoning?.exclude === true);
  }

  /**
   * Asks the endpoints of the plan until one answers.
   * @throws HeadgateError when none does.
   */
  async open(): Promise<OpenAnswer> {
    const services = this.#services;
    const { request, signal, room, trace } = this.#call;
    const { stream, provider, strict } = request;
    const { plan, spending } = this.#admission;
    const { canonical } = plan.reduced ?? request;
    const { health, maxAttempts, retrySame } = services.routing();
    const settlement = this.#settlement;
    const open = await openAnswer(plan, canonical, {
      upstreams: services.upstreams,
      secrets: services.secrets,
      clock: services.clock,
      signal,
      room,
      streamed: stream,
      statistics: services.statistics,
      health,
      maxAttempts,
      retrySame,
      fallbacks: provider.allowFallbacks !== false,
      strict,
      admit: (target) => spending.admit(target),
      places: EndpointRates.of(plan.targets, this.#call, spending.prompt, services),
      onTry: (made) => settlement.trying(made),
      onAttempt: (made) => settlement.attempts.push(made),
      onBody: this.#echoes ? (body) => this.#bodies.push(shownBody(body, canonical)) : undefined,
      fit: this.#place?.fit,
      trace: this.#traced && trace?.attemptsOf(this.#traced),
    });
    settlement.opened(open.target);
    this.#open = open;
    this.#openedAt = services.clock.now();
    return open;
  }

  /** The parts that precede the deltas: the debug events of docs/spec/answers.md#debug-events, then the turn itself. */
  #opening({ target }: OpenAnswer): readonly AnswerPart[] {
    const { model, endpoint } = target;
    const opened = {
      kind: 'opened',
      model: model.id,
      provider: endpoint.provider.name,
      at: this.#openedAt ?? 0,
    } as const;
    if (this.#bodies.length === 0) return [opened];
    return [...this.#bodies.map((body) => ({ kind: 'sent', body }) as const), opened];
  }

  /** What the endpoint sends, batch by batch; left open where the reader leaves, for `cancel` and `fail`. */
  batches({ batches }: OpenAnswer): AsyncIterable<readonly Delta[]> {
    return this.#parting.opened(batches[Symbol.asyncIterator]());
  }

  /** Measures a batch of the endpoint and returns it in the words that the client expects; the first opens the answer. */
  read(batch: readonly Delta[], open: OpenAnswer): AnswerParts {
    const { restore } = open.translation;
    this.#settlement.meter.watch(batch);
    const deltas = restore === undefined ? batch : restore(batch);
    this.#watch.read(deltas);
    if (this.#isOpened) return deltas;
    this.#isOpened = true;
    return [...this.#opening(open), ...deltas];
  }

  /**
   * Settles a turn that the model ended.
   * @throws HeadgateError when the charge cannot be made durable.
   */
  async finish({ target }: OpenAnswer): Promise<TurnEnd> {
    this.#parting.end();
    // Before the charge is booked, which is no part of the answer's time.
    const report = this.#report(false);
    this.#recordEntries();
    this.#answered();
    const bill = await this.#settlement.settle('finished');
    this.#isSettled = true;
    this.#tellRoute(false);
    this.#note('ok', bill);
    const { finishReason: finish = 'stop', tier, usage } = this.#settlement.meter;
    this.#admission.conversation?.succeeded(target, usage);
    if (target.router !== undefined) rememberModel(target, usage, this.#call, this.#services);
    // Calls that a limit cut off are incomplete.
    if (finish === 'stop' || finish === 'tool_calls') {
      const { request, caller } = this.#call;
      const { calls } = this.#watch;
      const chat = chatOf(request.canonical);
      if (chat !== undefined)
        this.#services.toolCallChecks.checkLater(target.endpoint, chat, calls, caller.account.id);
    }
    return { finish, bill, tier, report, served: this.#served };
  }

  /**
   * Settles a turn that failed, and returns how the answer ends with it.
   * @param isTold Whether a part of the answer was read.
   * @throws RefusedCall when nothing was answered.
   */
  async fail(thrown: unknown, hasYielded: boolean): Promise<TurnEnd> {
    const { signal, request } = this.#call;
    const cause = toHeadgateError(signal.aborted ? signal.reason : thrown);
    await this.#parting.close();
    const isBegun = this.#watch.begun;
    const isCutOff = isBegun && endsAsLength(cause.type);
    const { bill, report, unbooked } = await this.#settle(
      isCutOff ? 'finished' : endingOfFailure(cause),
      cause,
    ).catch((failure: unknown): Settled => {
      this.#note('failed', undefined);
      return { unbooked: toHeadgateError(failure), report: this.#report(true) };
    });
    // Nothing was shown yet of an unstreamed answer: it is withheld when it cannot be charged.
    const isShown = this.#place?.isContinued === true || (request.stream ? hasYielded : isBegun);
    const isCommitted = isShown && (request.stream || unbooked === undefined);
    if (!isCommitted) {
      throw new RefusedCall(unbooked ?? cause, { report: this.#report(true), bodies: this.#bodies });
    }
    const { tier } = this.#settlement.meter;
    const end = { bill, tier, report, served: this.#served };
    return isCutOff && unbooked === undefined
      ? { finish: 'length', ...end }
      : { error: unbooked ?? cause, ...end };
  }

  /** What it does at the moment. */
  get state(): TurnState {
    const settlement = this.#settlement;
    const { meter, tried } = settlement;
    return {
      phase: this.#phase,
      attempts: settlement.attempts.length + (this.#open === undefined && tried !== undefined ? 1 : 0),
      model: tried?.model.id,
      provider: tried?.endpoint.provider.slug,
      outputTokens: meter.usage?.output ?? meter.estimateOutputTokens(),
      firstAt: settlement.firstDeltaAt,
      ceiling: tried && this.#admission.spending.ceilingAt(tried.endpoint),
    };
  }

  get #phase(): TurnState['phase'] {
    if (this.#isSettled) return this.#place === undefined ? 'settling' : 'tool';
    if (this.#settlement.isSettling) return 'settling';
    return this.#open === undefined ? 'waiting' : 'streaming';
  }

  /** Whether the client has gone. */
  get isLeft(): boolean {
    return this.#parting.isLeft || this.#call.signal.reason instanceof ClientGone;
  }

  /** The client has gone. Returns whether the usage is still read; then `abort` is called when that is done. */
  leave(abort: () => void): boolean {
    return !this.#isSettled && this.#parting.leave(abort);
  }

  /** Whether the turn is charged. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Settles a turn whose client has gone; changes nothing where it is settled. Never fails. */
  async cancel(): Promise<void> {
    await this.#parting.readOn();
    await this.#parting.close();
    // Nobody is left to learn that booking it failed.
    this.#recordEntries();
    this.#answered();
    const bill = await this.#settlement.settle('cancelled').catch(() => undefined);
    this.#parting.end();
    this.#tellRoute(false);
    this.#note('cancelled', bill);
  }

  /** The parts that follow the deltas. Only a request of one turn ends with it. */
  closing(end: TurnEnd): AnswerParts {
    const { bill } = end;
    const { generationId } = this.#call;
    const parts: AnswerPart[] = bill === undefined ? [] : [{ kind: 'settled', generationId, bill }];
    if (this.#place === undefined) parts.push({ kind: 'ended', ...end, at: this.#services.clock.now() });
    return parts;
  }

  get #served(): TurnEnd['served'] {
    const target = this.#open?.target;
    return target && { model: target.model.id, tag: target.endpoint.tag };
  }

  get #echoes(): boolean {
    const { echoUpstreamBody, stream } = this.#call.request;
    return echoUpstreamBody && stream;
  }

  async #settle(ending: Ending, error?: HeadgateError): Promise<Settled> {
    // Before the charge is booked, which is no part of the answer's time.
    const report = this.#report(ending !== 'finished');
    this.#recordEntries();
    this.#answered();
    const bill = await this.#settlement.settle(ending, error);
    this.#tellRoute(true);
    this.#note('failed', bill);
    return { bill, report };
  }

  /** The answer is whole or has failed: what follows is the wait for its charge. */
  #answered(): void {
    if (this.#traced !== undefined) this.#traced.answeredAt = this.#call.trace?.now();
  }

  #note(outcome: CallOutcome, bill: AnswerBill | undefined): void {
    const { progress, depth, trace } = this.#call;
    if (this.#traced !== undefined) {
      this.#traced.settledAt = trace?.now();
      this.#traced.generation = this.#settlement.record;
    }
    if (progress === undefined) return;
    progress.cost += bill?.charge ?? 0n;
    if (depth === undefined) progress.outcome = outcome;
  }

  /** Says how the turn was routed. */
  #tellRoute(isFailed: boolean): void {
    const { attempts } = this.#settlement;
    this.#services.events.routed(this.#call, this.#admission.plan, isFailed || attempts.length > 1);
  }

  /** What is kept of the pipeline, whether the client asked for it or not. */
  #recordEntries(): void {
    const { plan } = this.#admission;
    const entries = this.#place?.entries?.() ?? [];
    this.#settlement.entries = [
      ...entries,
      ...routerEntries(plan),
      ...(this.#open?.translation.entries ?? []),
    ];
  }

  #report(failed: boolean): RouteReport | undefined {
    const { request } = this.#call;
    if (!request.wantsMetadata) return undefined;
    const { location, clock } = this.#services;
    const openedAt = this.#openedAt;
    return reportRoute({
      request,
      plan: this.#admission.plan,
      attempts: this.#settlement.attempts,
      open: this.#open,
      failed,
      generationTime: openedAt === undefined ? undefined : clock.now() - openedAt,
      region: location().region,
    });
  }
}

const shortestInside = 8;

/** What is shown in place of a text; undefined for one that is no secret. */
type Cover = (text: string) => string | undefined;

/**
 * A body sent to a provider as `debug.echo_upstream_body` may show it: what the caller gave as credentials of MCP
 * servers is taken out, wherever the dialect has put it, and so are those inside a server's address.
 */
export function shownBody(body: unknown, request: CanonicalRequest): unknown {
  const settings = serversOf(request);
  const secrets = settings.flatMap(credentialsOf);
  const addresses = new Map(settings.flatMap(addressOf));
  if (secrets.length === 0 && addresses.size === 0) return body;
  return withoutSecrets(body, (text) => addresses.get(text) ?? cover(text, secrets));
}

function serversOf(request: CanonicalRequest): readonly JsonObject[] {
  if (request.kind !== 'chat') return [];
  const settings = offeredTools(request).flatMap((tool) => (tool.kind === 'hosted' ? [tool.settings] : []));
  const others = request.items.flatMap((item) =>
    item.kind === 'additional_tools' ? (item.others ?? []) : [],
  );
  return [...settings, ...others];
}

function credentialsOf({ authorization, headers }: JsonObject): readonly string[] {
  const values = typeof headers === 'object' && headers !== null ? Object.values(headers) : [];
  return [authorization, ...values].filter((value) => typeof value === 'string' && value !== '');
}

/** An address that holds a secret, and how it is shown. */
function addressOf({ server_url: address }: JsonObject): readonly (readonly [string, string])[] {
  if (typeof address !== 'string') return [];
  const shown = shownUrl(address);
  return shown === address ? [] : [[address, shown]];
}

function withoutSecrets(value: unknown, covered: Cover): unknown {
  if (typeof value === 'string') return covered(value) ?? value;
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, covered));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutSecrets(member, covered)]);
  return Object.fromEntries(members);
}

function cover(text: string, secrets: readonly string[]): string | undefined {
  const found = secrets.some(
    (secret) => text === secret || (secret.length >= shortestInside && text.includes(secret)),
  );
  return found ? '[secret]' : undefined;
}

type CallDelta = Extract<Delta, { kind: 'call' }>;

interface CallSeen {
  readonly call: CallDelta;
  readonly input: GrowingText;
}

/** Reads the deltas of one turn as the client gets them, and remembers what the pipeline needs to know of them. */
class AnswerWatch {
  readonly #excludesReasoning: boolean;
  #begun = false;
  /** Undefined until the model calls a tool, which most answers do not. */
  #calls: CallSeen[] | undefined;

  /** @param excludesReasoning Whether reasoning is left out of the answer. */
  constructor(excludesReasoning: boolean) {
    this.#excludesReasoning = excludesReasoning;
  }

  /** Whether the answer has any content: from then on a limit ends it instead of failing it. */
  get begun(): boolean {
    return this.#begun;
  }

  /** The calls of tools, in order. */
  get calls(): readonly ModelCall[] {
    return this.#calls?.map(toModelCall) ?? [];
  }

  /** Reads one batch. */
  read(deltas: readonly Delta[]): void {
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'text':
        case 'refusal':
          this.#begun ||= delta.text !== '';
          break;
        case 'thinking':
        case 'summary':
          this.#begun ||= delta.text !== '' && !this.#excludesReasoning;
          break;
        case 'seal':
          this.#begun ||= !this.#excludesReasoning;
          break;
        case 'annotation':
        case 'audio':
        case 'embedding':
        case 'hosted':
          this.#begun = true;
          break;
        case 'call':
          this.#begun = true;
          this.#calls ??= [];
          this.#calls.push({ call: delta, input: new GrowingText() });
          break;
        case 'arguments':
          this.#calls?.findLast(({ call }) => call.block === delta.block)?.input.append(delta.text);
      }
    }
  }
}

function toModelCall({ call: { form, name, namespace, callId }, input: { value } }: CallSeen): ModelCall {
  // Some models write nothing where a function takes no arguments.
  const input = form === 'function' && value.trim() === '' ? '{}' : value;
  return { form, name, namespace, callId, input };
}
