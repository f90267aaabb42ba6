import assert from 'node:assert/strict';
import type { HeadgateError } from '../../../src/core/errors.ts';
import type { NanoUsd } from '../../../src/core/money.ts';
import { admit } from '../../../src/pipeline/admission.ts';
import { CallerDirectory } from '../../../src/pipeline/caller-directory.ts';
import { RefusedCall } from '../../../src/pipeline/refused-call.ts';
import { RequestEvents } from '../../../src/pipeline/request-events.ts';
import type { InferenceCall, Services } from '../../../src/pipeline/services.ts';
import { roomOf } from '../../../src/ports/answer-room.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { HoldId } from '../../../src/ports/in-flight-budget.ts';
import type { LedgerEntry } from '../../../src/ports/ledger.ts';
import type { SharedState } from '../../../src/ports/shared-state.ts';
import type { Storage } from '../../../src/ports/storage.ts';
import type { RoutePlan } from '../../../src/routing/route-plan.ts';
import { CallSettlement } from '../../../src/settlement/call-settlement.ts';
import { closeLapsed } from '../../../src/settlement/lapsed-call.ts';
import { LimitWaits, usualLimitWaits } from '../../../src/settlement/limit-waits.ts';
import { MeasuredCalls } from '../../../src/settlement/measured-calls.ts';
import type { Spending } from '../../../src/settlement/spending.ts';
import { MemoryRateLimits } from '../../../src/shared-state/memory/memory-rate-limits.ts';
import { plainByokTerms } from '../../support/credentials.ts';
import { parse } from '../../support/request-parsing.ts';
import { routingServices } from '../../support/routing-services.ts';
import { account, apiKey, ledgerEntry, unique } from '../fixtures.ts';
import type { Refusal, Settings } from './naive-money.ts';
import { limits, models } from './scenario.ts';

/** What the money suite runs on: one engine of each port. */
export interface MoneyPorts {
  readonly storage: Storage;
  /** The shared state as a newly started process finds it. */
  startProcess(): MoneyCounters;
}

type MoneyCounters = Pick<SharedState, 'inFlightBudget' | 'freeRequests'>;

interface RunningCall {
  readonly call: InferenceCall;
  readonly plan: RoutePlan;
  readonly spending: Spending;
  readonly settlement: CallSettlement;
  endpoint: number;
}

/** The account of a run in the gateway's own hands: the real directory, admission, bracket, books and counters. */
export class RealMoney {
  readonly ports: MoneyPorts;
  readonly clock: Clock & { time: number };
  readonly account = account();
  readonly keys = [apiKey(this.account.id), apiKey(this.account.id)] as const;
  readonly calls = new Map<number, RunningCall>();
  /** Holds whose process lives, by request. */
  readonly #leases = new Map<string, HoldId>();
  #directory: CallerDirectory;
  #shared: MoneyCounters;

  constructor(ports: MoneyPorts, clock: Clock & { time: number }) {
    this.ports = ports;
    this.clock = clock;
    this.#directory = new CallerDirectory(ports.storage.callers, clock);
    this.#shared = ports.startProcess();
  }

  async open(createdAt: number, settings: Settings): Promise<void> {
    const { accounts, keys } = this.ports.storage;
    const billingMode = settings.prepaid ? 'prepaid' : 'invoice';
    const { inflightExempt, freeLimitExempt } = settings;
    await accounts.create({ ...this.account, createdAt, billingMode, inflightExempt, freeLimitExempt });
    for (const key of this.keys) await keys.create(key);
    for (const key of [0, 1]) await this.setCap(key, settings);
  }

  async setAccount({ inflightExempt, freeLimitExempt, prepaid }: Settings): Promise<void> {
    const billingMode = prepaid ? 'prepaid' : 'invoice';
    await this.ports.storage.accounts.update(this.account.id, {
      inflightExempt,
      freeLimitExempt,
      billingMode,
    });
    this.#directory.forget();
  }

  async setCap(key: number, { caps }: Settings): Promise<void> {
    const cap = caps[key];
    assert.ok(cap);
    const limit = cap.amount === null ? null : (BigInt(cap.amount) as NanoUsd);
    await this.ports.storage.keys.update(this.#hash(key), { limit, limitReset: cap.reset }, this.clock.now());
    this.#directory.forget(this.#hash(key));
  }

  /** @param elsewhere Whether another process does it, of which this one hears by itself. */
  async append(amount: number, change: Partial<LedgerEntry>, elsewhere: boolean): Promise<void> {
    const entry = ledgerEntry(this.account.id, { amount: BigInt(amount) as NanoUsd, ...change });
    await this.ports.storage.ledger.append(entry);
    if (!elsewhere) this.#directory.forget();
  }

  async admit(id: number, key: number, free: boolean, maxTokens: number): Promise<Refusal | undefined> {
    const caller = await this.#caller(key);
    const model = models[free ? 1 : 0].id;
    const order = models[0].endpoints.map((endpoint) => endpoint.provider.slug);
    const call: InferenceCall = {
      generationId: unique('gen-'),
      request: parse({ model, max_output_tokens: maxTokens, provider: { order } }),
      caller,
      attribution: {},
      receivedAt: this.clock.now(),
      signal: new AbortController().signal,
      room: roomOf(32 * 1024 * 1024),
    };
    try {
      const { plan, spending } = await admit(call, this.#services());
      const settlement = new CallSettlement(call, this.#services(), spending);
      this.calls.set(id, { call, plan, spending, settlement, endpoint: 0 });
      return undefined;
    } catch (thrown) {
      assert.ok(thrown instanceof RefusedCall, String(thrown));
      return shown(thrown.error);
    }
  }

  async fallBack(id: number, endpoint: number): Promise<Refusal | undefined> {
    const running = this.calls.get(id);
    const target = running?.plan.targets[endpoint];
    assert.ok(running && target);
    const refusal = await running.spending.admit(target);
    if (refusal !== undefined) return shown(refusal);
    running.endpoint = endpoint;
    return undefined;
  }

  /** Ends a call as the pipeline does; the charge is that of so many tokens at its endpoint. */
  async settle(id: number, tokens: number, ending: 'finished' | 'cancelled' | 'failed'): Promise<void> {
    const running = this.calls.get(id);
    const target = running?.plan.targets[running.endpoint];
    assert.ok(running && target);
    this.calls.delete(id);
    const { settlement } = running;
    settlement.opened(target);
    settlement.meter.watch([
      { kind: 'text', block: 0, text: 'Good day.' },
      { kind: 'usage', usage: { uncachedInput: 1, output: tokens } },
      { kind: 'finish', reason: 'stop' },
    ]);
    await Promise.all([settlement.settle(ending), settlement.settle('cancelled')]);
  }

  /** The process of one call dies. */
  crash(id: number): void {
    const running = this.calls.get(id);
    if (running !== undefined) this.#leases.delete(running.call.generationId);
  }

  restart(): void {
    this.calls.clear();
    this.#leases.clear();
    this.#directory = new CallerDirectory(this.ports.storage.callers, this.clock);
    this.#shared = this.ports.startProcess();
  }

  async advance(milliseconds: number): Promise<void> {
    this.clock.time += milliseconds;
    const { inFlightBudget } = this.#shared;
    await inFlightBudget.renew([...this.#leases.values()], limits.inFlightBudget.lease);
    // Calls of dead processes are closed; one that was merely paused may settle all the same.
    await closeLapsed(await inFlightBudget.sweep(), { ledger: this.ports.storage.ledger, clock: this.clock });
  }

  /** Makes the directory read the books at once, without waiting for it. */
  readBooks(): Promise<unknown> {
    this.#directory.forget();
    return Promise.all([this.#caller(0), this.#caller(1)]);
  }

  /** Everything as the gateway sees it now. */
  async view() {
    const [first, second] = [await this.#caller(0), await this.#caller(1)];
    assert.equal(first.funds.balance, second.funds.balance);
    const spend = [first, second].map(({ key, spend }) =>
      key.limit === null ? undefined : numbers(spend.usage),
    );
    return {
      balance: Number(first.funds.balance),
      purchased: Number(first.funds.purchasedTotal),
      spent: Number(first.funds.spentTotal),
      spend,
      inFlight: Number(await this.#shared.inFlightBudget.inFlight(this.account.id)),
      freeToday: await this.#shared.freeRequests.countedToday(this.account.id),
    };
  }

  /** The same as the books have it. */
  async books() {
    const { ledger } = this.ports.storage;
    const { balance, purchasedTotal, spentTotal } = await ledger.balance(this.account.id);
    const spend = [];
    for (const { hash } of this.keys) {
      spend.push(numbers((await ledger.keySpend(hash, this.clock.now())).usage));
    }
    return {
      balance: Number(balance),
      purchased: Number(purchasedTotal),
      spent: Number(spentTotal),
      spend,
    };
  }

  async #caller(key: number) {
    const caller = await this.#directory.find(this.#hash(key));
    assert.ok(caller);
    return caller;
  }

  #hash(key: number): string {
    const hash = this.keys[key]?.hash;
    assert.ok(hash);
    return hash;
  }

  #services(): Services {
    return {
      ledger: this.ports.storage.ledger,
      charges: this.#directory,
      clock: this.clock,
      byokTerms: () => plainByokTerms,
      events: new RequestEvents([{ settled: ({ failure }) => assert.equal(failure, undefined) }]),
      limits: () => limits,
      ...this.#shared,
      ...routingServices(),
      leases: {
        keep: (id) => {
          this.#leases.set(id.requestId, id);
          return { member: id, place: -1 };
        },
        drop: ({ member }) => void this.#leases.delete(member.requestId),
      },
      limitWaits: new LimitWaits({ ...usualLimitWaits, patience: 0 }),
      endpointWaits: new LimitWaits(),
      // The model knows nothing of earlier calls.
      measuredCalls: new MeasuredCalls(0),
      // Nothing limits rates here.
      rateLimits: new MemoryRateLimits(this.clock),
      rateLeases: { keep: (running) => ({ member: running, place: -1 }), drop: () => {} },
      canCharge: () => this.ports.storage.writable,
      catalogue: () => ({ models: new Map(models.map((model) => [model.id, model])), providers: new Map() }),
      upstreams: new Map(),
    };
  }
}

function numbers(windows: Readonly<Record<'total' | 'daily' | 'weekly' | 'monthly', bigint>>) {
  const { total, daily, weekly, monthly } = windows;
  return {
    total: Number(total),
    daily: Number(daily),
    weekly: Number(weekly),
    monthly: Number(monthly),
  };
}

function shown(error: HeadgateError): Refusal {
  const { limit_source: source, reason } = error.metadata;
  return [error.status, source, reason, error.retryAfter];
}
