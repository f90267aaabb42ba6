import { type ByokTerms, byokFee } from '../core/byok-fee.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { AnyRequest, ClientAttribution } from '../core/inference-request.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import { mayThink } from '../core/thinking-time.ts';
import type { Usage } from '../core/usage.ts';
import type { Account } from '../ports/accounts.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { EndpointStatistics } from '../ports/endpoint-statistics.ts';
import type { Generation, ProviderAttempt } from '../ports/generations.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { RequestTrace } from '../ports/request-trace.ts';
import { cutText } from '../util/growing-text.ts';
import type { Caller } from './caller.ts';
import { type Bill, type Ending, makeBill, noCost, type SettledBill } from './cost.ts';
import { Meter } from './meter.ts';
import { outputLimit } from './plausible-usage.ts';
import type { RequestRates } from './request-rates.ts';
import type { Spending, SpendingFacts, SpendingTarget } from './spending.ts';

/** What is known of a call before it reaches a provider. */
export interface CallFacts extends SpendingFacts {
  readonly request: AnyRequest;
  readonly attribution: ClientAttribution;
  /** The client's request against the limits of its rate; undefined where nothing limits it. */
  readonly rates?: RequestRates;
  /** Whether budgets have let the request begin, so that what its stages and tools cost does not stop it. */
  readonly hasBegun?: boolean;
  /** The only credential that may serve it: no other one, and no shared capacity. Undefined where routing chooses. */
  readonly onlyCredential?: ProviderCredential;
  /** Where it notes what it does for spans; undefined where none are made. */
  readonly trace?: RequestTrace;
  /** The span of the tool that takes an inner turn. */
  readonly traceSpan?: string;
}

/** Keeps what is known of balances and limits right while charges are on their way into the books. */
export interface ChargeWatch {
  /**
   * Notes a charge about to be booked, with its maximum amount. The returned function must be called with the charge
   * that was booked, or with undefined if none was.
   */
  begin(generation: Generation): (booked: Generation | undefined) => void;
}

/** What settling needs from outside. */
export interface SettlementServices {
  readonly ledger: Ledger;
  readonly charges: ChargeWatch;
  readonly clock: Clock;
  /** How fast endpoints write. */
  readonly statistics: Pick<EndpointStatistics, 'answers'>;
  /** What an account pays for what its own provider credentials serve. */
  readonly byokTerms: (account: Account) => ByokTerms;
  /** Hears of every generation once its charge is durable, or once booking it failed. */
  readonly events: { settled(facts: SettledFacts): void };
}

/** What is known of a turn or a fee once it has its record. */
export interface SettledFacts {
  /** With its charge, as booked. */
  readonly generation: Generation;
  readonly caller: Caller;
  /** Why it could not be booked; undefined where it was. */
  readonly failure: unknown;
  /** Milliseconds until the charge was durable. */
  readonly commitTime: number;
  /** Of its spans, where any are made. */
  readonly traceId?: string | undefined;
}

/** The bill of a call that reached nobody. */
const noBill: Bill = {
  usage: {},
  pictures: 0,
  cost: noCost,
  estimated: false,
  insured: false,
  unpriced: false,
};

/** An endpoint that is asked, and whether the request has gone out to it by now. */
export interface TriedTarget {
  readonly target: SpendingTarget;
  readonly sent: boolean;
}

/**
 * The money around one call: opened before it, settled exactly once after it, on success, failure and
 * disconnect alike.
 */
export class CallSettlement {
  readonly meter = new Meter();
  readonly attempts: ProviderAttempt[] = [];
  /** What the stages did, for the record; set before it is settled. */
  entries: readonly PipelineEntry[] = [];
  readonly #facts: CallFacts;
  readonly #services: SettlementServices;
  readonly #spending: Spending;
  #tried: TriedTarget | undefined;
  #triedAt = 0;
  #served: (SpendingTarget & { readonly firstDeltaAt: number }) | undefined;
  #settled: Promise<SettledBill> | undefined;
  #booked: Generation | undefined;

  /** @param spending What the call was admitted to spend; settled with it. */
  constructor(facts: CallFacts, services: SettlementServices, spending: Spending) {
    this.#facts = facts;
    this.#services = services;
    this.#spending = spending;
  }

  /** The endpoint that is asked; undefined before the first. */
  get tried(): SpendingTarget | undefined {
    return this.#tried?.target;
  }

  /** When the first delta came, Unix milliseconds. */
  get firstDeltaAt(): number | undefined {
    return this.#served?.firstDeltaAt;
  }

  /** Whether the charge is on its way into the books, or there. */
  get isSettling(): boolean {
    return this.#settled !== undefined;
  }

  /** The record, once it is booked or could not be. */
  get record(): Generation | undefined {
    return this.#booked;
  }

  /**
   * Notes which endpoint is asked now, undefined while none is: a client that leaves before its answer owes for what was sent
   * there.
   */
  trying(attempt: TriedTarget | undefined): void {
    this.#tried = attempt;
    this.#triedAt = this.#services.clock.now();
  }

  /** Notes which endpoint answers; from here on its usage counts. */
  opened({ model, endpoint, credential, router }: SpendingTarget): void {
    this.#served = { model, endpoint, credential, router, firstDeltaAt: this.#services.clock.now() };
  }

  /**
   * Books the call. Resolves when the charge is durable; every call after the first returns the first one's
   * result and changes nothing.
   * @param error Why the call failed or, of one that finished, the limit that cut it off.
   * @throws HeadgateError `service_unavailable` when the books cannot be written.
   */
  settle(ending: Ending, error?: HeadgateError): Promise<SettledBill> {
    this.#settled ??= this.#book(ending, error);
    return this.#settled;
  }

  async #book(ending: Ending, error: HeadgateError | undefined): Promise<SettledBill> {
    const bill = this.#makeBill(ending);
    this.#facts.rates?.use(bill.usage);
    const isWhole = ending === 'finished' && !bill.estimated && !bill.insured;
    if (isWhole && this.#served !== undefined) this.#spending.measured(this.#served, bill.usage);
    const generation = this.#record(bill, ending, error);
    const { charges, events } = this.#services;
    const { caller } = this.#facts;
    const beganAt = performance.now();
    const over = charges.begin(generation);
    let booked: Generation | undefined;
    let failure: unknown;
    try {
      booked = await this.#enter(generation);
    } catch (thrown) {
      failure = thrown;
    }
    // No `await` before `settle`: the next request to be admitted sees the charge in the balance and not in the hold.
    over(booked);
    const commitTime = performance.now() - beganAt;
    const { cost: charge, listCost, isByok, settledAt } = booked ?? generation;
    const released = this.#spending.settle(charge, isByok ? listCost : zeroUsd, settledAt);
    if (released !== undefined) await released;
    this.#booked = booked ?? generation;
    this.#facts.trace?.addCost(charge);
    const traceId = this.#facts.trace?.place.traceId;
    events.settled({ generation: this.#booked, caller, failure, commitTime, traceId });
    if (failure !== undefined) throw failure;
    return { ...bill, charge, isByok };
  }

  /** Books the record of a call; one by an own credential gets its fee as it is booked. */
  async #enter(generation: Generation): Promise<Generation> {
    const { ledger } = this.#services;
    if (!generation.isByok || generation.listCost === zeroUsd) {
      await ledger.settle(generation);
      return generation;
    }
    const cost = await ledger.settle({ ...generation, cost: zeroUsd }, this.#byokTerms);
    return { ...generation, cost };
  }

  get #byokTerms(): ByokTerms {
    return this.#services.byokTerms(this.#facts.caller.account);
  }

  /** The most that may be charged: with an own credential the fee, as if the allowance of the month were used up. */
  #largestCharge(listCost: NanoUsd, isByok: boolean): NanoUsd {
    if (!isByok) return listCost;
    const terms = this.#byokTerms;
    return byokFee(listCost, terms.monthlyAllowance, terms);
  }

  #makeBill(ending: Ending): Bill {
    const payee = this.#payee(ending);
    if (payee === undefined) return noBill;
    const { model, endpoint } = payee;
    const { receivedAt: beganAt } = this.#facts;
    const unseen = this.#unseenOutput(ending, payee);
    const served = { model, endpoint, beganAt, pieces: this.#spending.pieces, unseen };
    return makeBill(this.meter, ending, served, this.#spending.prompt);
  }

  /** Whose price counts: the endpoint that answered or, when client or gateway ended it first, the one that had the prompt. */
  #payee(ending: Ending): SpendingTarget | undefined {
    const tried = wasStopped(ending) && this.#tried?.sent === true ? this.#tried.target : undefined;
    return this.#served ?? tried;
  }

  /**
   * About how many tokens a stopped call had made, where some of them cannot be seen: thoughts, and what is sent as one
   * piece at the end (docs/spec/money.md#who-leaves). Zero where nothing is hidden or no speed is known.
   */
  #unseenOutput(ending: Ending, { model, endpoint }: SpendingTarget): number {
    if (!wasStopped(ending)) return 0;
    const { canonical, stream } = this.#facts.request;
    const isWhole = !stream && this.#served === undefined && canonical.kind === 'chat';
    if (!isWhole && !this.meter.thought && !mayThink(canonical, [model])) return 0;
    const { clock, statistics } = this.#services;
    const measured = statistics.answers(endpoint);
    const [rate = endpoint.prior?.tps ?? 0] =
      measured?.percentiles('throughput', '30m', [50]) ??
      measured?.percentiles('throughput', '1d', [50]) ??
      [];
    const seconds = (clock.now() - this.#triedAt) / 1000;
    return Math.min(outputLimit(canonical, endpoint), Math.floor(seconds * rate));
  }

  #record(bill: Bill, ending: Ending, error: HeadgateError | undefined): Generation {
    const { request, caller, attribution, generationId, requestId, receivedAt } = this.#facts;
    const { meter } = this;
    const settledAt = this.#services.clock.now();
    const served = this.#served;
    const payee = this.#payee(ending);
    const isFailed = ending === 'failed' || ending === 'timed_out';
    const isByok = payee?.credential !== undefined;
    const { pictures, documents, sounds } = this.#spending.prompt.media;
    // Written out without a spread, so that all records are of one shape, which makes them cheaper to read.
    return {
      id: generationId,
      requestId: requestId ?? generationId,
      accountId: caller.account.id,
      keyHash: caller.key.hash,
      workspaceId: caller.key.workspaceId,
      createdAt: receivedAt,
      settledAt,
      requestedModel: cutText(request.models[0] ?? ''),
      model: payee?.model.id,
      provider: payee?.endpoint.provider.slug,
      endpointTag: payee?.endpoint.tag,
      upstreamId: meter.upstreamId && cutText(meter.upstreamId),
      sessionId: request.sessionId,
      externalUser: request.user,
      httpReferer: attribution.httpReferer,
      origin: attribution.origin,
      appTitle: attribution.appTitle,
      userAgent: attribution.userAgent,
      preset: attribution.preset,
      presetId: attribution.presetId,
      // Counts that are worth a record only where there are any.
      mediaInput: pictures + documents || undefined,
      mediaOutput: bill.pictures || undefined,
      audioInputs: sounds || undefined,
      serviceTier: meter.tier,
      isByok,
      credentialId: payee?.credential?.id,
      streamed: request.stream,
      cancelled: ending === 'cancelled',
      finishReason: isFailed ? 'error' : error === undefined ? meter.finishReason : 'length',
      nativeFinishReason: meter.nativeFinishReason && cutText(meter.nativeFinishReason),
      errorType: error?.type,
      latency: served === undefined ? undefined : served.firstDeltaAt - receivedAt,
      generationTime: served === undefined ? undefined : settledAt - served.firstDeltaAt,
      usage: bill.usage,
      usageEstimated: bill.estimated,
      implausibleUsage: bill.implausible,
      insured: bill.insured,
      unpriced: bill.unpriced || undefined,
      cost: this.#largestCharge(bill.cost.total, isByok),
      listCost: bill.cost.total,
      cacheDiscount: tellsOfCache(bill.usage) ? bill.cost.cacheDiscount : undefined,
      routedBy: payee?.router?.router,
      routedTask: payee?.router?.task,
      attempts: this.attempts,
      pipeline: this.entries.length === 0 ? undefined : this.entries,
    };
  }
}

/** Whether the client or the gateway ended a call, and not its provider. */
function wasStopped(ending: Ending): boolean {
  return ending === 'cancelled' || ending === 'timed_out';
}

/** Whether the provider reported what it read from a cache or wrote to one, even if that is zero. */
function tellsOfCache({ cacheRead, cacheWrite, cacheWriteLong }: Usage): boolean {
  return cacheRead !== undefined || cacheWrite !== undefined || cacheWriteLong !== undefined;
}
