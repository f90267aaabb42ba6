import type { AlertPlace, AlertStore, NewAlert } from '../ports/alerts.ts';
import type { CallerStore, StoredCaller } from '../ports/callers.ts';
import type { Clock } from '../ports/clock.ts';
import type { UsageStore } from '../ports/usage.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';
import type { AlertRules } from './alert-rules.ts';
import { budgetSubject } from './budget-alerts.ts';
import { accountSubject, alertNews, hourOf, keySubject, spendAlert } from './raised-alerts.ts';

/** Keys that are remembered between two looks; the next charge of a key remembers it again. */
const mostKeys = 10_000;
/** Keys whose money is read together. */
const together = 64;

/** What the watch reads, and the callbacks it reports to. */
export interface AlertWatchParts {
  readonly rules: AlertRules;
  readonly callers: CallerStore;
  readonly alerts: AlertStore;
  readonly usage: Pick<UsageStore, 'totals'>;
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly pause: number;
  /** Called for each alert that was raised, and with the reason when a look failed; that is repeated. */
  readonly onRaised: (type: string) => void;
  readonly onFailure: (failure: unknown) => void;
}

/**
 * Looks after charges whether a threshold was crossed, and raises each alert once over all processes. A charge costs
 * nothing but a note of its key; the money is read from the database some seconds later.
 */
export class AlertWatch {
  readonly #parts: AlertWatchParts;
  readonly #looking: RecurringTask;
  #charged = new Set<string>();

  constructor(parts: AlertWatchParts) {
    this.#parts = parts;
    this.#looking = new RecurringTask(
      () => this.look(),
      () => parts.pause,
    );
  }

  /** Notes that a key was charged. */
  charged(keyHash: string): void {
    if (this.#charged.size < mostKeys) this.#charged.add(keyHash);
  }

  /** Stops for good. */
  close(): void {
    this.#looking.close();
  }

  /** Looks at what was charged since the last time; this also happens by itself. Never rejects. */
  async look(): Promise<void> {
    const hashes = [...this.#charged];
    this.#charged = new Set();
    for (let start = 0; start < hashes.length; start += together) {
      const some = hashes.slice(start, start + together);
      try {
        await this.#lookAt(some);
      } catch (failure) {
        for (const hash of some) this.charged(hash);
        this.#parts.onFailure(failure);
      }
    }
  }

  async #lookAt(hashes: readonly string[]): Promise<void> {
    const { callers, alerts, rules, clock } = this.#parts;
    const now = clock.now();
    const found = await Promise.all((await callers.read(hashes, now)).values());
    const moment = { now, windows: callers.calendar.windowsAt(now) };
    const raised = new Set((await alerts.raisedFor(subjectsOf(found))).map(nameOf));
    for (const caller of found) {
      const { crossed, over } = alertNews(caller, rules, moment);
      for (const place of over) {
        if (raised.delete(nameOf(place))) await alerts.rearm(place, now);
      }
      await this.#raise(crossed, raised);
    }
    if (rules.spendPerHour !== undefined) await this.#raise(await this.#spendNews(found, now), raised);
  }

  async #raise(crossed: readonly NewAlert[], raised: Set<string>): Promise<void> {
    const { alerts, onRaised } = this.#parts;
    for (const alert of crossed) {
      if (raised.has(nameOf(alert))) continue;
      raised.add(nameOf(alert));
      if (await alerts.raise(alert)) onRaised(alert.type);
    }
  }

  /** What accounts were charged in this hour, where that is too much. */
  async #spendNews(callers: readonly StoredCaller[], now: number): Promise<readonly NewAlert[]> {
    const { usage, rules } = this.#parts;
    const accounts = new Map(callers.map(({ account }) => [account.id, account]));
    const news: NewAlert[] = [];
    for (const account of accounts.values()) {
      const grouping = { range: hourOf(now), filters: { accountId: account.id } };
      const [total] = await usage.totals(grouping, 1);
      const alert = total && spendAlert(account, total.cost, rules, now);
      if (alert !== undefined) news.push(alert);
    }
    return news;
  }
}

function subjectsOf(callers: readonly StoredCaller[]): readonly string[] {
  const subjects = callers.flatMap((caller) => [
    keySubject(caller.key),
    accountSubject(caller.account),
    ...(caller.budgets ?? []).map((budget) => budgetSubject(caller, budget)),
  ]);
  return [...new Set(subjects)];
}

function nameOf({ subject, threshold, window }: AlertPlace): string {
  return `${subject}\n${threshold}\n${window}`;
}
