import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '../core/money.ts';
import type { DueAlert } from '../ports/alerts.ts';
import { openStorage } from '../storage/open-storage.ts';
import { AlertSender } from './alert-sender.ts';
import { testAlert } from './raised-alerts.ts';

test('an alert nobody takes is sent eight times within a day, then given up', async (t) => {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  const clock = { time: Date.UTC(2026, 10, 18), now: () => clock.time };
  const failures: [number, boolean][] = [];
  const sender = new AlertSender({
    // Nothing listens on the port of discard.
    rules: { webhook: 'http://127.0.0.1:9/', thresholds: [1], balance: parseUsd(1) },
    alerts: storage.alerts,
    clock,
    pause: 3_600_000,
    onSent: () => assert.fail('nobody took it'),
    onFailed: (_alert: DueAlert, _reason, isGivenUp) => failures.push([clock.time, isGivenUp]),
    onFailure: (failure) => assert.fail(String(failure)),
  });
  t.after(() => sender.close());
  await storage.alerts.raise({ ...testAlert(clock.time), expiresAt: null });
  const start = clock.time;
  for (; clock.time < start + 86_400_000; clock.time += 20_000) {
    const due = failures.length === 0 || (await isDue());
    if (due) await sender.send();
  }
  assert.deepEqual(
    failures.map(([, isGivenUp]) => isGivenUp),
    [false, false, false, false, false, false, false, true],
  );
  const hours = ((failures.at(-1)?.[0] ?? 0) - start) / 3_600_000;
  assert.ok(hours > 20 && hours < 24, String(hours));

  /** Looks without taking it away from the sender. */
  async function isDue(): Promise<boolean> {
    return (await storage.alerts.take(clock.time, clock.time)) !== undefined;
  }
});
