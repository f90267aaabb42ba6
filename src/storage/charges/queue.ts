import type { ByokTerms } from '../../core/byok-fee.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type NanoUsd, nanoFromInteger } from '../../core/money.ts';
import type { Generation } from '../../ports/generations.ts';
import { loopLoad } from '../../waiting/loop-load.ts';
import type { Charge } from '../sql/charge-columns.ts';
import type { ChargeBooking } from '../sql/ledger.ts';
import { chargeLine } from './charge.ts';
import type { Amounts } from './writer.ts';

/** How an engine books many charges together. */
export interface BatchBooking {
  /** Resolves when they are durable. */
  commit(charges: readonly Charge[]): Promise<Amounts>;
}

/** Charges one by one, booked together. */
export class QueuedCharges implements ChargeBooking {
  readonly #queue: SettleQueue<Charge, bigint>;
  #closed = false;

  constructor(booking: BatchBooking) {
    this.#queue = new SettleQueue((charges) => booking.commit(charges));
  }

  async settle(generation: Generation, terms?: ByokTerms): Promise<NanoUsd> {
    if (this.#closed) throw new HeadgateError('service_unavailable', 'The storage is closed.');
    const amount = await this.#queue.add({ line: chargeLine(generation), terms });
    return amount === undefined ? generation.cost : nanoFromInteger(amount);
  }

  /** Takes no more charges and waits for those that were taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.idle();
  }
}

/** Books charges together. Resolves when they are durable; rejects when none of them was booked. */
type CommitBatch<Item, Result> = (
  items: readonly Item[],
) => Promise<readonly (Result | undefined)[] | undefined>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** The most charges of one commit, which limits how long it keeps others waiting. */
const largestBatch = 1000;

/** Milliseconds to gather charges when the event loop is fully busy: a transaction costs as much as thirty rows. */
const gatherTime = 8;

/**
 * Group commit (docs/spec/operations.md#durable-before-visible): charges that arrive while a transaction runs share the
 * next one, and so the cost of its fsync. The next transaction starts as soon as the last one is done. A process with
 * little to do books at the end of the turn of the event loop. A busy one first waits for a turn with nothing else to
 * do, at most 8 ms: fewer transactions leave more time for the requests its clients wait for.
 */
export class SettleQueue<Item, Result> {
  readonly #commit: CommitBatch<Item, Result>;
  readonly #gather: () => Promise<unknown>;
  #waiting: Waiting<Item, Result>[] = [];
  #draining: Promise<void> | undefined;

  /** @param gather Waits for company before each transaction. */
  constructor(commit: CommitBatch<Item, Result>, gather: () => Promise<unknown> = gatherWhenBusy) {
    this.#commit = commit;
    this.#gather = gather;
  }

  /** Resolves when the charge is durable, with what came of it; rejects like the batch that carried it. */
  add(item: Item): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when nothing waits any more, whatever came of it. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#book(this.#waiting.splice(0, largestBatch));
    }
    this.#draining = undefined;
  }

  async #book(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#commit(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results?.[index]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function gatherWhenBusy(): Promise<void> {
  return waitUntilIdle(gatherTime * loopLoad.pressure);
}

/** Milliseconds below which a turn of the event loop did nothing but look whether there is work. */
const quiet = 0.05;

/**
 * Resolves after the first turn of the event loop in which the process had nothing else to do.
 * @param limit Milliseconds after which it resolves however busy the process is.
 */
export function waitUntilIdle(limit: number): Promise<void> {
  return new Promise((resolve) => {
    let turnBegan = performance.now();
    const end = turnBegan + limit;
    const look = () => {
      const now = performance.now();
      if (now - turnBegan < quiet || now >= end) {
        resolve();
        return;
      }
      turnBegan = now;
      setImmediate(look);
    };
    setImmediate(look);
  });
}
