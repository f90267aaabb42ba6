import type { AlertStore, DueAlert } from '../ports/alerts.ts';
import type { Clock } from '../ports/clock.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';
import type { AlertRules } from './alert-rules.ts';
import { sendAlert } from './send-alert.ts';

/** Waits after a failed attempt, in milliseconds; after the last one the alert is given up. */
const waits = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 43_200_000] as const;
/** How long a process may take to send one, before another process tries. */
const lease = 60_000;
/** Alerts that are sent one after the other at most; the others come with the next look. */
const mostAtOnce = 20;

/** What the sender reads, and the callbacks it reports to. */
export interface AlertSenderParts {
  readonly rules: AlertRules;
  readonly alerts: AlertStore;
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly pause: number;
  readonly onSent: (alert: DueAlert) => void;
  /** Called for each attempt that failed. */
  readonly onFailed: (alert: DueAlert, reason: string, isGivenUp: boolean) => void;
  /** Called when the database could not be asked; that is repeated. */
  readonly onFailure: (failure: unknown) => void;
}

/** Posts alerts that wait, each eight times at most within a day, whatever process raised them. */
export class AlertSender {
  readonly #parts: AlertSenderParts;
  readonly #sending: RecurringTask;

  constructor(parts: AlertSenderParts) {
    this.#parts = parts;
    this.#sending = new RecurringTask(
      () => this.send(),
      () => parts.pause,
    );
  }

  /** Stops for good. */
  close(): void {
    this.#sending.close();
  }

  /** Sends what is due; this also happens by itself. Never rejects. */
  async send(): Promise<void> {
    const { alerts, clock, onFailure } = this.#parts;
    try {
      for (let count = 0; count < mostAtOnce && (await this.#sendOne()); count += 1);
      await alerts.prune(clock.now());
    } catch (failure) {
      onFailure(failure);
    }
  }

  /** Whether one was due. */
  async #sendOne(): Promise<boolean> {
    const { alerts, clock, rules, onSent, onFailed } = this.#parts;
    const now = clock.now();
    const alert = await alerts.take(now, now + lease);
    if (alert === undefined) return false;
    const reason = await sendAlert(alert, rules, now);
    if (reason === undefined) {
      await alerts.delivered(alert.id, clock.now());
      onSent(alert);
      return true;
    }
    const wait = waits[alert.attempts];
    await alerts.postpone(alert.id, wait === undefined ? null : clock.now() + wait);
    onFailed(alert, reason, wait === undefined);
    return true;
  }
}
