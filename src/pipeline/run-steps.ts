import type { Answer, AnswerBill, AnswerParts, EndedPart, TurnEnd } from '../core/answer-part.ts';
import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { Fee } from '../core/fee.ts';
import { createGenerationId } from '../core/ids.ts';
import { type AnyRequest, type InferenceRequest, wantsChat } from '../core/inference-request.ts';
import { sumUsd, zeroUsd } from '../core/money.ts';
import { mayNameRouter } from '../core/router-names.ts';
import { asksToThink } from '../core/thinking-time.ts';
import { addUsage } from '../core/usage.ts';
import type { Generation } from '../ports/generations.ts';
import { type LoopEnd, type LoopMeans, runToolLoop } from '../server-tools/loop.ts';
import { LoopBudget, usualLoopLimits } from '../server-tools/loop-budget.ts';
import { OfferedTools } from '../server-tools/offered-tools.ts';
import type {
  LoopContext,
  OfferContext,
  ServerTool,
  ToolSpan,
  ToolTracing,
} from '../server-tools/server-tool.ts';
import { SearchCitations } from '../server-tools/web-search/cite-searches.ts';
import { admitKey, hasUsedUpBudget, isPrepaid } from '../settlement/admit.ts';
import type { SettlementServices } from '../settlement/call-settlement.ts';
import { isFreeEverywhere } from '../settlement/cost.ts';
import { HeldFees } from '../settlement/held-fees.ts';
import { hasLimits } from '../settlement/held-limits.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { readOnlyServices } from '../settlement/read-only-services.ts';
import { noCredits } from '../settlement/refusals.ts';
import { Spending } from '../settlement/spending.ts';
import type { ActiveStages } from '../stages/active-stages.ts';
import type { StageContext } from '../stages/stage.ts';
import { mapBatches } from '../util/map-batches.ts';
import { claimRates, countsAtOnce } from './admission.ts';
import { createClassifier } from './classify-task.ts';
import { isDisabled } from './disabled-tools.ts';
import { evaluateCaller } from './evaluate-request.ts';
import { createInnerTurns } from './inner-turns.ts';
import { PipelineLog } from './pipeline-log.ts';
import { RefusedCall } from './refused-call.ts';
import { routeModels } from './route-models.ts';
import { reportBlocked } from './route-report.ts';
import { runHostedHere } from './run-hosted-here.ts';
import { ClientGone, type InferenceCall, type Services } from './services.ts';
import { canSay, namedTargets, readsPictures } from './stage-context.ts';
import { turn } from './turn.ts';
import { canName, searchableModels } from './usable-models.ts';

/** What makes a request more than one turn. */
export interface Steps {
  /** The stages it concerns; undefined without any. */
  readonly active: ActiveStages | undefined;
  /** The tools of the gateway that it may list. */
  readonly tools: readonly ServerTool[];
  /** Answers a call that a stage or a tool makes for it. */
  readonly runInner: (call: InferenceCall) => Answer;
}

/** Answers a request that concerns stages or tools of the gateway. Yields and fails as `run` does. */
export async function* runSteps(
  call: InferenceCall,
  steps: Steps,
  services: Services,
): AsyncGenerator<AnswerParts, undefined> {
  const running = new SteppedRequest(call, steps, services);
  try {
    const prepared = await running.prepare();
    if (prepared === undefined) return undefined;
    const answer = running.answer(prepared);
    const shown =
      steps.active?.readsFiles === true ? mapBatches(answer, (parts) => running.addFiles(parts)) : answer;
    if (steps.active?.rewrites === true) yield* mapBatches(shown, (parts) => running.rewrite(parts));
    else yield* shown;
    return undefined;
  } finally {
    running.end();
  }
}

/** A request while its stages and turns run. */
class SteppedRequest {
  readonly #call: InferenceCall;
  readonly #steps: Steps;
  readonly #services: Services;
  readonly #context: StageContext & LoopContext & OfferContext;
  readonly #bill = new RequestBill();
  readonly #log: PipelineLog;
  readonly #fees: HeldFees | undefined;
  #showsFiles = false;

  constructor(call: InferenceCall, steps: Steps, services: Services) {
    // All turns of a request, inner ones too, pass its limits together.
    this.#call =
      call.limitPass === undefined && hasLimits(call.caller)
        ? { ...call, limitPass: { isBegun: false } }
        : call;
    this.#steps = steps;
    this.#services = services;
    this.#fees = HeldFees.of(this.#call, services);
    this.#log = new PipelineLog(steps.active);
    const { account, key } = call.caller;
    this.#context = {
      accountId: account.id,
      workspaceId: key.workspaceId,
      keyHash: key.hash,
      signal: call.signal,
      checkMeans: (costs?: boolean) => this.#checkMeans(costs),
      onTool: (ran) => services.events.ranTool(ran),
      trace: toolTracing(call),
      isDisabled: (type) => isDisabled(type, call.caller.defaults?.disabledTools ?? []),
      knowsModel: (slug) => canName(slug, call.caller, services),
      models: () => searchableModels(call.caller, services),
      readsPictures: (served) => readsPictures(served, call, services),
      reserve: async (cost) => this.#fees?.hold(cost),
      charge: async (fee) => this.#bill.add(await bookToolFee(fee, this.#call, this.#services, this.#fees)),
      targets: (request) => namedTargets(call, request, services),
      supports: (target, feature, request) => canSay(target, feature, services, request),
      scanArguments: async (input) => (await steps.active?.scanArguments(input)) ?? input,
      scan: async (parts) => (await steps.active?.scan(parts)) ?? parts,
      innerTurn: createInnerTurns(this.#call, services, steps.runInner, (bill) => this.#bill.add(bill)),
    };
  }

  /** Releases what the request holds beside its turns. */
  end(): void {
    this.#fees?.release();
    const { trace } = this.#call;
    if (trace === undefined) return;
    for (const { entry, from, to } of this.#steps.active?.times ?? []) trace.addStage(entry, from, to);
  }

  /**
   * The request as its stages have prepared it; undefined when the client has gone.
   * @throws RefusedCall when a stage, or a limit before it, refuses.
   */
  async prepare(): Promise<AnyRequest | undefined> {
    const { active } = this.#steps;
    let { request } = this.#call;
    try {
      if (active !== undefined) {
        request = await active.prepare(request, this.#context, true);
        // What a stage does may cost something, and scanning for a caller who cannot pay is in vain.
        if (active.preparesLate) await this.#commit(request);
        request = await active.prepare(request, this.#context, false);
        this.#log.prepared();
      }
      if (mayNameRouter(request)) request = await this.#route(request);
      return request;
    } catch (thrown) {
      const { signal } = this.#call;
      if (signal.reason instanceof ClientGone) return undefined;
      if (this.#call.depth === undefined) this.#services.events.turnedAway(this.#call, thrown);
      if (thrown instanceof RefusedCall) throw thrown;
      this.#log.prepared();
      this.#services.events.blocked(this.#log.before);
      const refused = { ...this.#call, request };
      const report = await reportBlocked(refused, this.#log.before, this.#services);
      throw new RefusedCall(toHeadgateError(signal.aborted ? signal.reason : thrown), { report });
    }
  }

  async #route(request: AnyRequest): Promise<AnyRequest> {
    const services = this.#services;
    const { trace, signal } = this.#call;
    const classify = createClassifier(services, this.#context.innerTurn, signal);
    const from = performance.now();
    const routed = await routeModels({ ...this.#call, request }, services, classify);
    if (trace !== undefined) {
      const [entry] = [...(routed.routed?.values() ?? [])].flatMap((one) =>
        one instanceof HeadgateError ? [] : [one.entry],
      );
      if (entry !== undefined) trace.addStage({ ...entry, type: 'router' }, from, performance.now());
    }
    return routed;
  }

  /** Takes the turns of a request that is prepared. Yields their parts, and `ended` last. */
  async *answer(prepared: AnyRequest): AsyncGenerator<AnswerParts, undefined> {
    const isInner = this.#call.depth !== undefined;
    const isLeft = isInner || !wantsChat(prepared);
    const request = isLeft ? prepared : runHostedHere(this.#call, prepared, this.#services);
    const reported = this.#log.before.map((entry) => ({ kind: 'reported', entry }) as const);
    if (reported.length > 0) yield reported;
    const last = yield* this.#takeTurns(request);
    if (last === undefined) return undefined;
    const ended = this.#close(last);
    try {
      yield [ended];
    } catch (fault) {
      yield [{ ...ended, finish: undefined, error: toHeadgateError(fault) }];
    }
    return undefined;
  }

  /** Puts the files that stages have read behind the part that opens the answer. */
  addFiles(parts: AnswerParts): AnswerParts {
    const index = this.#showsFiles ? -1 : parts.findIndex(({ kind }) => kind === 'opened');
    if (index === -1) return parts;
    this.#showsFiles = true;
    if (this.#call.request.hidesFiles === true) return parts;
    const files = this.#steps.active?.files ?? [];
    return files.length === 0 ? parts : parts.toSpliced(index + 1, 0, { kind: 'files', files });
  }

  async *#takeTurns(request: AnyRequest): AsyncGenerator<AnswerParts, LoopEnd | undefined> {
    const offered = wantsChat(request) ? await this.#offer(request) : undefined;
    if (offered === undefined || !wantsChat(request)) return toLoopEnd(yield* this.#takeTurn(request, false));
    try {
      const cited = new SearchCitations();
      const parts = runToolLoop(offered, this.#loopMeans(request));
      return yield* mapBatches(parts, (batch) => cited.add(batch));
    } finally {
      offered.close();
    }
  }

  /** Lets the stages rewrite a batch; the last one reports what they did. */
  async rewrite(parts: AnswerParts): Promise<AnswerParts> {
    const rewritten = (await this.#steps.active?.rewrite(parts, this.#context)) ?? parts;
    const ended = rewritten.at(-1);
    if (ended?.kind !== 'ended') return rewritten;
    this.#log.rewritten();
    return [...rewritten.slice(0, -1), { ...ended, report: this.#log.addAfter(ended.report) }];
  }

  async #checkMeans(costs = false): Promise<void> {
    try {
      await checkFunds(this.#call, this.#services, costs);
    } catch (thrown) {
      throw RefusedCall.of(thrown).error;
    }
  }

  /** What stands before work on the content: the caller's means, and the limits of the rate. */
  async #commit(request: AnyRequest): Promise<void> {
    await checkFunds({ ...this.#call, request }, this.#services);
    const refusal = await claimRates(this.#call, new MeasuredPrompt(request.canonical));
    if (refusal !== undefined) throw new RefusedCall(refusal);
  }

  /** @throws RefusedCall when a tool the request lists is not to be had. */
  async #offer(request: InferenceRequest): Promise<OfferedTools | undefined> {
    try {
      return await OfferedTools.open(request, this.#steps.tools, this.#context);
    } catch (thrown) {
      throw new RefusedCall(toHeadgateError(thrown));
    }
  }

  #loopMeans(request: InferenceRequest): LoopMeans {
    const { canonical, stream } = request;
    const limits = this.#services.loopLimits?.() ?? usualLoopLimits;
    const until = stream
      ? undefined
      : this.#services.loopDeadline?.(this.#call.receivedAt, asksToThink(canonical));
    return {
      takeTurn: (next, isContinued) => this.#takeTurn(next, isContinued),
      context: this.#context,
      budget: new LoopBudget(canonical, limits, () => this.#services.clock.now(), until),
      parallel: limits.parallel,
      admit: () => this.#commit(request),
      bill: () => this.#bill.total,
      isSpent: () => hasUsedUpBudget(this.#call.caller),
      onRan: (types) => this.#log.ranTools(types),
    };
  }

  async *#takeTurn(
    request: AnyRequest,
    isContinued: boolean,
  ): AsyncGenerator<AnswerParts, TurnEnd | undefined> {
    const entries = () => this.#log.takeForRecord();
    const place = { isContinued, fit: this.#steps.active?.fitIn(this.#context), entries };
    try {
      const end = yield* turn(this.#callOf(request, isContinued), this.#services, place);
      if (end?.bill !== undefined) this.#bill.add(end.bill);
      return end;
    } catch (thrown) {
      const { error, report, bodies } = RefusedCall.of(thrown);
      const failed = this.#steps.active?.failed(error) ?? error;
      throw new RefusedCall(failed, { report: this.#log.addBefore(report), bodies });
    }
  }

  /** The call of a turn: the first one has the id of the request, later ones refer to it. */
  #callOf(request: AnyRequest, isContinued: boolean): InferenceCall {
    if (!isContinued) return { ...this.#call, request, hasBegun: this.#steps.active?.preparesLate === true };
    const { requestId = this.#call.generationId } = this.#call;
    const receivedAt = this.#services.clock.now();
    const generationId = createGenerationId(receivedAt);
    return { ...this.#call, request, requestId, generationId, receivedAt, hasBegun: true };
  }

  #close({ end, toolCalls, tools }: LoopEnd): EndedPart {
    this.#log.fitted(tools);
    const report = this.#log.addBefore(end.report);
    const bill = this.#bill.total;
    return { kind: 'ended', ...end, bill, toolCalls, report, at: this.#services.clock.now() };
  }
}

/** Notes calls of tools for spans, within the call that takes the turns they are part of. */
function toolTracing({ trace, traceSpan }: InferenceCall): ToolTracing | undefined {
  if (trace === undefined) return undefined;
  return {
    begin(call) {
      const tool = trace.beginTool(call, traceSpan);
      if (tool === undefined) return undefined;
      const end: ToolSpan['end'] = ({ failed, cost }, { server_label: server, name }) => {
        const mcp =
          typeof server === 'string' && typeof name === 'string' ? { server, tool: name } : undefined;
        Object.assign(tool, { endedAt: trace.now(), failed, cost, mcp });
      };
      return { spanId: tool.spanId, end };
    },
  };
}

function toLoopEnd(end: TurnEnd | undefined): LoopEnd | undefined {
  return end && { end, toolCalls: undefined, tools: [] };
}

/** What all turns of a request used and cost so far, inner turns included. */
class RequestBill {
  #total: AnswerBill | undefined;

  /** Undefined until a turn is settled. */
  get total(): AnswerBill | undefined {
    return this.#total;
  }

  /** Adds a turn. */
  add(bill: AnswerBill): void {
    this.#total = this.#total === undefined ? bill : sumOf(this.#total, bill);
  }
}

function sumOf(one: AnswerBill, other: AnswerBill): AnswerBill {
  return {
    usage: addUsage(one.usage, other.usage),
    cost: {
      total: sumUsd(one.cost.total, other.cost.total),
      input: sumUsd(one.cost.input, other.cost.input),
      output: sumUsd(one.cost.output, other.cost.output),
    },
    unpriced: one.unpriced || other.unpriced,
    charge: sumUsd(one.charge, other.charge),
    isByok: one.isByok || other.isByok,
  };
}

/**
 * Judges what a caller may spend before anything is spent on preparing a request: debt, key limit, free requests, and a
 * balance that is used up. Commits to nothing.
 * @param costs Whether something is about to be charged, whatever serves the request.
 * @throws RefusedCall when the caller may spend nothing.
 */
async function checkFunds(call: InferenceCall, services: Services, costs = false): Promise<void> {
  const judged = evaluateCaller(call, services);
  if (judged.refusal !== undefined) throw new RefusedCall(judged.refusal);
  // A key past its limit may use free models and own credentials, but not what is charged all the same.
  if (costs) admitKey(call.caller);
  if (countsAtOnce(judged)) {
    const tooMany = await new Spending(call, readOnlyServices(services)).countFree();
    if (tooMany !== undefined) throw new RefusedCall(tooMany);
  }
  const { account, funds } = call.caller;
  const mayBeFree =
    !costs &&
    ((judged.policy.credentials?.length ?? 0) > 0 ||
      judged.candidates.some(({ model }) => isFreeEverywhere(model)));
  if (isPrepaid(account) && funds.balance <= zeroUsd && !mayBeFree) {
    throw new RefusedCall(noCredits());
  }
}

/**
 * Books what a tool or a plugin of the gateway costs beside the turns, as a record of its own that refers to the request
 * (docs/spec/server-tools.md#fees). Resolves when the charge is durable, with what the request owes for it.
 * @param held What fees hold of limits; undefined where nothing limits the caller.
 * @throws HeadgateError `service_unavailable` when the books cannot be written.
 */
async function bookToolFee(
  { type, amount, searches, implausible }: Fee,
  call: InferenceCall,
  { ledger, charges, clock, events }: SettlementServices,
  held: HeldFees | undefined,
): Promise<AnswerBill> {
  const usage = searches === undefined ? {} : { webSearches: searches };
  const cost = { total: amount, input: zeroUsd, output: zeroUsd };
  const bill: AnswerBill = { usage, cost, unpriced: false, charge: amount, isByok: false };
  // A fee of zero is not booked; the turn that made the call reports the call.
  if (amount === zeroUsd) return bill;
  const { caller, request, requestId = call.generationId, attribution, trace } = call;
  const now = clock.now();
  const generation: Generation = {
    id: createGenerationId(now),
    requestId,
    accountId: caller.account.id,
    keyHash: caller.key.hash,
    workspaceId: caller.key.workspaceId,
    createdAt: now,
    settledAt: now,
    requestedModel: type,
    model: type,
    sessionId: request.sessionId,
    externalUser: request.user,
    ...attribution,
    isByok: false,
    streamed: false,
    cancelled: false,
    usage,
    usageEstimated: implausible !== undefined,
    implausibleUsage: implausible,
    insured: false,
    cost: amount,
    listCost: amount,
    attempts: [],
  };
  const beganAt = performance.now();
  const over = charges.begin(generation);
  let failure: unknown;
  try {
    await ledger.settle(generation);
  } catch (thrown) {
    failure = thrown;
  }
  over(failure === undefined ? generation : undefined);
  const commitTime = performance.now() - beganAt;
  // In the same turn, so that whoever is admitted next meets the fee once.
  held?.charged(amount, now);
  trace?.addCost(amount);
  events.settled({ generation, caller, failure, commitTime, traceId: trace?.place.traceId });
  if (failure !== undefined) throw failure;
  return bill;
}
