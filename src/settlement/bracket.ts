import type { Endpoint, Model } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { ClientAttribution, InferenceRequest } from '../core/inference-request.ts';
import type { Usage } from '../core/usage.ts';
import type { Clock } from '../ports/clock.ts';
import type { Generation, ProviderAttempt } from '../ports/generations.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Caller } from './admit.ts';
import { type Bill, type Ending, makeBill } from './bill.ts';
import { noCost } from './cost.ts';
import { mediaIn } from './media-in.ts';
import { Meter } from './meter.ts';
import type { Spending, SpendingFacts, SpendingTarget } from './spending.ts';

/** What is known of a call before it reaches a provider. */
export interface CallFacts extends SpendingFacts {
  readonly request: InferenceRequest;
  readonly attribution: ClientAttribution;
}

/** Keeps what is known of balances and limits right while charges are on their way into the books. */
export interface ChargeWatch {
  /** Notes a charge about to be booked; the result is told whether it was. */
  begin(generation: Generation): (booked: boolean) => void;
}

/** What settling needs from outside. */
export interface BracketServices {
  readonly ledger: Ledger;
  readonly charges: ChargeWatch;
  readonly clock: Clock;
  /** Told every generation once its charge is durable, or once booking it failed. */
  readonly onSettled: (generation: Generation, caller: Caller, failure: unknown) => void;
}

/**
 * The money around one call: opened before it, settled exactly once after it, on success, failure and
 * disconnect alike.
 */
export class Bracket {
  readonly meter = new Meter();
  readonly attempts: ProviderAttempt[] = [];
  readonly #facts: CallFacts;
  readonly #services: BracketServices;
  readonly #spending: Spending;
  #tried: SpendingTarget | undefined;
  #served: (SpendingTarget & { readonly firstDeltaAt: number }) | undefined;
  #settled: Promise<Bill> | undefined;

  /** @param spending What the call was admitted to spend; settled with it. */
  constructor(facts: CallFacts, services: BracketServices, spending: Spending) {
    this.#facts = facts;
    this.#services = services;
    this.#spending = spending;
  }

  /** Notes which endpoint has the prompt now: a client that leaves before its answer owes for that. */
  trying(model: Model, endpoint: Endpoint): void {
    this.#tried = { model, endpoint };
  }

  /** Notes which endpoint answers; from here on its usage counts. */
  opened(model: Model, endpoint: Endpoint): void {
    this.#served = { model, endpoint, firstDeltaAt: this.#services.clock.now() };
  }

  /**
   * Books the call. Resolves when the charge is durable; every call after the first returns the first one's
   * result and changes nothing.
   * @throws HeadgateError `service_unavailable` when the books cannot be written.
   */
  settle(ending: Ending, error?: HeadgateError): Promise<Bill> {
    this.#settled ??= this.#book(ending, error);
    return this.#settled;
  }

  async #book(ending: Ending, error: HeadgateError | undefined): Promise<Bill> {
    const bill = this.#makeBill(ending);
    const generation = this.#record(bill, ending, error);
    const { ledger, charges, onSettled } = this.#services;
    const { caller } = this.#facts;
    const over = charges.begin(generation);
    let failure: unknown;
    try {
      await ledger.settle(generation);
    } catch (thrown) {
      failure = thrown;
    }
    // Without a turn between them: whoever is admitted next sees the charge in the balance and not in the hold.
    over(failure === undefined);
    await this.#spending.settle(generation.cost);
    onSettled(generation, caller, failure);
    if (failure !== undefined) throw failure;
    return bill;
  }

  #makeBill(ending: Ending): Bill {
    const payee = this.#payee(ending);
    if (payee === undefined) return { usage: {}, cost: noCost, estimated: false, insured: false };
    const { request, receivedAt } = this.#facts;
    return makeBill(this.meter, ending, { ...payee, beganAt: receivedAt }, request.canonical);
  }

  /** Whose price counts: the endpoint that answered or, when the client left first, the one that was asked. */
  #payee(ending: Ending): SpendingTarget | undefined {
    return this.#served ?? (ending === 'cancelled' ? this.#tried : undefined);
  }

  #record(bill: Bill, ending: Ending, error: HeadgateError | undefined): Generation {
    const { request, caller, attribution, generationId, receivedAt } = this.#facts;
    const settledAt = this.#services.clock.now();
    const served = this.#served;
    const payee = this.#payee(ending);
    return {
      id: generationId,
      requestId: generationId,
      accountId: caller.account.id,
      keyHash: caller.key.hash,
      workspaceId: caller.key.workspaceId,
      createdAt: receivedAt,
      settledAt,
      requestedModel: request.models[0] ?? '',
      model: payee?.model.id,
      provider: payee?.endpoint.provider.slug,
      endpointTag: payee?.endpoint.tag,
      upstreamId: this.meter.upstreamId,
      sessionId: request.sessionId,
      externalUser: request.user,
      ...attribution,
      ...this.#media(),
      serviceTier: this.meter.tier,
      isByok: false,
      streamed: request.stream,
      cancelled: ending === 'cancelled',
      finishReason: ending === 'failed' ? 'error' : this.meter.finishReason,
      nativeFinishReason: this.meter.nativeFinishReason,
      errorType: error?.type,
      latency: served === undefined ? undefined : served.firstDeltaAt - receivedAt,
      generationTime: served === undefined ? undefined : settledAt - served.firstDeltaAt,
      usage: bill.usage,
      usageEstimated: bill.estimated,
      insured: bill.insured,
      cost: bill.cost.total,
      listCost: bill.cost.total,
      inputCost: bill.cost.input,
      outputCost: bill.cost.output,
      cacheDiscount: usesCache(bill.usage) ? bill.cost.cacheDiscount : undefined,
      attempts: this.attempts,
    };
  }

  /** Counts that are worth a record only where there are any. */
  #media(): Pick<Generation, 'mediaInput' | 'mediaOutput' | 'audioInputs' | 'searchResults'> {
    const { pictures, documents, sounds } = mediaIn(this.#facts.request.canonical);
    const shown = pictures + documents;
    return {
      mediaInput: shown || undefined,
      audioInputs: sounds || undefined,
      mediaOutput: this.meter.pictures || undefined,
      searchResults: this.meter.usage?.webSearches,
    };
  }
}

function usesCache({ cacheRead, cacheWrite, cacheWriteLong }: Usage): boolean {
  return cacheRead !== undefined || cacheWrite !== undefined || cacheWriteLong !== undefined;
}
