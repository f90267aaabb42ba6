import type { Logger } from 'pino';
import { AlertSender } from '../alerts/alert-sender.ts';
import { AlertWatch } from '../alerts/alert-watch.ts';
import { type ProviderOutcomes, ProviderWatch } from '../alerts/provider-watch.ts';
import type { Config } from '../config/config.ts';
import type { GatewayCounters } from '../metrics/gateway-counters.ts';
import { systemClock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';

/** Milliseconds between two looks at what was charged, and at what waits to be sent. */
const usualPause = 5_000;
/** How far back charges are looked at after a start, which a process that died may not have seen. */
const lookBack = 2 * 3_600_000;
const quarter = 15 * 60_000;
const mostKeys = 1_000;

/** Alerts of a server. */
export interface Alerts {
  /** Notes that a key was charged. */
  charged(keyHash: string): void;
  /** Stops for good. What waits to be sent stays in the database. */
  close(): void;
}

/** What alerts need. */
export interface AlertParts {
  readonly storage: Pick<Storage, 'alerts' | 'callers' | 'usage'>;
  readonly log: Logger;
  /** What attempts at providers came to lately. */
  readonly outcomes: () => readonly ProviderOutcomes[];
  /** Milliseconds between two looks; for tests. */
  readonly alertPause?: number;
}

/** Alerts by webhook, or undefined where none is configured: then nothing is noted. */
export function createAlerts(
  { webhook, secret, thresholds, balance, spendPerHour }: Config['alerts'],
  { storage, log, outcomes, alertPause: pause = usualPause }: AlertParts,
  counters: GatewayCounters,
): Alerts | undefined {
  if (webhook === undefined) return undefined;
  const rules = { webhook, secret, thresholds, balance, spendPerHour };
  const shared = {
    rules,
    alerts: storage.alerts,
    callers: storage.callers,
    usage: storage.usage,
    clock: systemClock,
    pause,
  };
  const reports = {
    onRaised: (type: string) => {
      counters.alerts.add(type, 'raised');
      log.warn({ alert: type }, 'an alert was raised');
    },
    onFailure: (err: unknown) =>
      log.warn({ err }, 'thresholds of alerts could not be checked; it is tried again'),
  };
  const watch = new AlertWatch({ ...shared, ...reports });
  const providers = new ProviderWatch({ ...shared, ...reports, outcomes });
  const sender = new AlertSender({
    ...shared,
    onSent: ({ type }) => counters.alerts.add(type, 'delivered'),
    onFailed: (alert, reason, isGivenUp) => {
      counters.alerts.add(alert.type, isGivenUp ? 'given_up' : 'failed');
      const fields = { alert: alert.id, type: alert.type, reason };
      if (isGivenUp) log.error(fields, 'an alert could not be delivered and is given up');
      else log.warn(fields, 'an alert could not be delivered; it is tried again');
    },
    onFailure: (err) => log.warn({ err }, 'alerts could not be read from the database; it is tried again'),
  });
  noteRecent(storage, watch);
  return {
    charged: (keyHash) => watch.charged(keyHash),
    close: () => {
      watch.close();
      providers.close();
      sender.close();
    },
  };
}

/** Looks again at keys that were charged shortly before the start. */
function noteRecent({ usage }: Pick<Storage, 'usage'>, watch: AlertWatch): void {
  const now = Math.floor(systemClock.now() / quarter) * quarter;
  const range = { from: now - lookBack, to: now + quarter };
  usage.totals({ range, filters: {}, dimension: 'key' }, mostKeys).then(
    (keys) => {
      for (const { value } of keys) watch.charged(value);
    },
    // The next charge of each key is looked at anyway.
    () => undefined,
  );
}
