import type { Config } from '../config/config.ts';
import { refusedNote, routedNote } from '../pipeline/note-call.ts';
import type { RequestObserver } from '../pipeline/request-events.ts';
import type { CallNoteStore, NewCallNote } from '../ports/call-notes.ts';
import type { Clock } from '../ports/clock.ts';
import type { RouteJudgement } from '../routing/plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

type Rules = Omit<Config['observability'], 'destinations'>;

/** Notes that wait to be stored; further ones are dropped and counted. */
const mostWaiting = 1_000;
/** Refused requests of one account among them: it must not take the room of others. */
const mostWaitingOfAccount = 100;
/** Refused requests that are kept of one account. */
const mostOfAccount = 20_000;
/** Milliseconds between two looks for notes that are too old. */
const pruneEvery = 600_000;

/**
 * Stores notes of calls behind the calls, every second in one transaction: no call waits for them. What is not stored yet is lost when
 * the process dies.
 */
export class CallNoteQueue implements RequestObserver {
  readonly #store: CallNoteStore;
  readonly #rules: Rules;
  readonly #clock: Clock;
  readonly #onFailure: (reason: unknown) => void;
  readonly #storing: RecurringTask;
  #waiting: NewCallNote[] = [];
  /** Refused requests among them, by account. */
  #refused = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();
  #prunedAt = 0;
  /** Notes that found no room. */
  dropped = 0;

  constructor(
    store: CallNoteStore,
    rules: Rules,
    {
      clock,
      onFailure,
      pause = 1_000,
    }: { clock: Clock; onFailure: (reason: unknown) => void; pause?: number | undefined },
  ) {
    this.#store = store;
    this.#rules = rules;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#storing = new RecurringTask(
      () => this.store(),
      () => pause,
    );
  }

  turnedAway(call: CallFacts, thrown: unknown): void {
    const { id } = call.caller.account;
    if (!this.#rules.refusals || this.#isFull(id)) return;
    this.#refused.set(id, (this.#refused.get(id) ?? 0) + 1);
    const keepsPlan = this.#rules.plans !== 'off';
    this.#waiting.push(refusedNote(call, thrown, { at: this.#clock.now(), keepsPlan }));
  }

  routed(call: CallFacts, plan: RouteJudgement, isNotable: boolean): void {
    const { plans } = this.#rules;
    if (plans === 'off' || (plans === 'failures' && !isNotable) || this.#isFull()) return;
    this.#waiting.push(routedNote(call, plan, this.#clock.now()));
  }

  #isFull(account?: string): boolean {
    const ofAccount = account === undefined ? 0 : (this.#refused.get(account) ?? 0);
    const isFull = this.#waiting.length >= mostWaiting || ofAccount >= mostWaitingOfAccount;
    if (isFull) this.dropped += 1;
    return isFull;
  }

  /** Stores what waits, and deletes what is too old. Keeps it for the next time where that fails. Never rejects. */
  store(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const notes = this.#waiting;
    this.#waiting = [];
    this.#refused = new Map();
    try {
      await this.#store.add(notes);
    } catch (reason) {
      this.#waiting = [...notes, ...this.#waiting].slice(0, mostWaiting);
      this.#onFailure(reason);
      return;
    }
    await this.#prune().catch(this.#onFailure);
  }

  async #prune(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#prunedAt < pruneEvery) return;
    const pruned = await this.#store.prune(now - this.#rules.keep, mostOfAccount);
    // There may be more: the next second goes on.
    if (pruned === 0) this.#prunedAt = now;
  }

  /** Stores the rest. */
  async close(): Promise<void> {
    this.#storing.close();
    await this.store();
  }
}
