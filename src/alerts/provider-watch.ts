import type { AlertPlace, AlertStore, NewAlert } from '../ports/alerts.ts';
import type { Clock } from '../ports/clock.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';
import { afterwards, newAlert } from './new-alert.ts';

/** So many failed attempts in the window, and no other ones, mean that a provider is down. */
const fewestFailures = 3;
/** Processes that see the recovery within so many milliseconds report it once. */
const together = 300_000;

/** What attempts at a provider came to, with credentials of the operator. */
export interface ProviderOutcomes {
  readonly slug: string;
  readonly name: string;
  /** Within five minutes, as far as the provider is responsible. */
  readonly failures: number;
  /** Within five minutes. */
  readonly successes: number;
  /** Within thirty seconds. */
  readonly recentSuccesses: number;
}

/** What the watch reads, and the callbacks it reports to. */
export interface ProviderWatchParts {
  /** The providers that attempts were made at. */
  readonly outcomes: () => readonly ProviderOutcomes[];
  readonly alerts: AlertStore;
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly pause: number;
  /** Called for each alert that was raised, and with the reason when a look failed; that is repeated. */
  readonly onRaised: (type: string) => void;
  readonly onFailure: (failure: unknown) => void;
}

/** Raises an alert when a provider answers nothing any more, and when it answers again (docs/spec/alerts.md#providers). */
export class ProviderWatch {
  readonly #parts: ProviderWatchParts;
  readonly #looking: RecurringTask;
  /** Providers that this process reported and has seen no success of since; others may have. */
  readonly #reported = new Set<string>();

  constructor(parts: ProviderWatchParts) {
    this.#parts = parts;
    this.#looking = new RecurringTask(
      () => this.look(),
      () => parts.pause,
    );
  }

  /** Stops for good. */
  close(): void {
    this.#looking.close();
  }

  /** Looks at the outcomes of now; this also happens by itself. Never rejects. */
  async look(): Promise<void> {
    try {
      const outcomes = this.#parts.outcomes();
      await this.#reportUp(outcomes.filter(({ recentSuccesses }) => recentSuccesses > 0));
      for (const provider of outcomes) {
        const { slug, failures, successes } = provider;
        if (successes > 0 || failures < fewestFailures || this.#reported.has(slug)) continue;
        await this.#raise(downAlert(provider, this.#parts.clock.now()));
        this.#reported.add(slug);
      }
    } catch (failure) {
      this.#parts.onFailure(failure);
    }
  }

  async #reportUp(answering: readonly ProviderOutcomes[]): Promise<void> {
    if (answering.length === 0) return;
    const { alerts, clock } = this.#parts;
    const places = await alerts.raisedFor(answering.map(({ slug }) => placeOf(slug).subject));
    for (const provider of answering) {
      this.#reported.delete(provider.slug);
      const place = placeOf(provider.slug);
      const isDown = places.some((one) => one.subject === place.subject && one.window === place.window);
      if (!isDown) continue;
      const now = clock.now();
      await alerts.rearm(place, now);
      await this.#raise(upAlert(provider, now));
    }
  }

  async #raise(alert: NewAlert): Promise<void> {
    if (await this.#parts.alerts.raise(alert)) this.#parts.onRaised(alert.type);
  }
}

function placeOf(slug: string): AlertPlace {
  return { subject: `provider ${slug}`, threshold: 'down', window: 'down' };
}

function downAlert(provider: ProviderOutcomes, now: number): NewAlert {
  const data = { ...dataOf(provider), failures: provider.failures };
  return newAlert(placeOf(provider.slug), { type: 'provider.down', now, expiresAt: null, data });
}

function upAlert(provider: ProviderOutcomes, now: number): NewAlert {
  const window = String(Math.floor(now / together));
  const place = { ...placeOf(provider.slug), threshold: 'up', window };
  return newAlert(place, {
    type: 'provider.up',
    now,
    expiresAt: now + afterwards,
    data: dataOf(provider),
  });
}

function dataOf({ slug, name }: ProviderOutcomes) {
  return { account_id: null, workspace_id: null, object: { type: 'provider', id: slug, name } };
}
