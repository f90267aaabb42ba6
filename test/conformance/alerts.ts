import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keptAlerts, type NewAlert } from '../../src/ports/alerts.ts';
import { type OpenStorage, unique } from './fixtures.ts';

function alertOf(changes: Partial<NewAlert> = {}): NewAlert {
  return {
    id: unique('evt_'),
    type: 'key.limit',
    subject: 'key k1',
    threshold: '0.8',
    window: 'daily 1',
    body: '{"type":"key.limit"}',
    createdAt: 1_000,
    expiresAt: 50_000,
    ...changes,
  };
}

/** Alerts that were raised, and the outbox of those that wait (docs/spec/alerts.md#once). */
export function describeAlerts(name: string, open: OpenStorage): void {
  describe(`alerts: ${name}`, () => {
    test('an alert is raised once for its place, of many at once too', async (t) => {
      const { alerts } = await open(t);
      const raised = await Promise.all(Array.from({ length: 12 }, () => alerts.raise(alertOf())));
      assert.equal(raised.filter(Boolean).length, 1);
      assert.equal(await alerts.raise(alertOf({ threshold: '1' })), true);
      assert.equal(await alerts.raise(alertOf({ window: 'daily 2' })), true);
      assert.equal(await alerts.raise(alertOf({ subject: 'key k2' })), true);
      const places = await alerts.raisedFor(['key k1', 'key k3']);
      assert.deepEqual(
        places.map(({ subject, threshold, window }) => `${subject} ${threshold} ${window}`).sort(),
        ['key k1 0.8 daily 1', 'key k1 0.8 daily 2', 'key k1 1 daily 1'],
      );
      assert.deepEqual(await alerts.raisedFor([]), []);
    });

    test('what is due is taken by one, oldest first, until its lease ends', async (t) => {
      const { alerts } = await open(t);
      const first = alertOf();
      const second = alertOf({ threshold: '1', createdAt: 1_001 });
      await alerts.raise(second);
      await alerts.raise(first);
      assert.equal(await alerts.take(999, 2_000), undefined);
      const takes = await Promise.all(Array.from({ length: 8 }, () => alerts.take(1_000, 2_000)));
      const { id, type, body } = first;
      assert.deepEqual(takes.filter(Boolean), [{ id, type, body, attempts: 0 }]);
      assert.equal((await alerts.take(1_500, 2_500))?.id, second.id);
      assert.equal(await alerts.take(1_999, 3_000), undefined);
      assert.equal((await alerts.take(2_000, 3_000))?.id, first.id, 'whoever took it died');
    });

    test('a failed attempt is counted and repeated; what is delivered or given up is not', async (t) => {
      const { alerts } = await open(t);
      const alert = alertOf();
      await alerts.raise(alert);
      await alerts.take(1_000, 2_000);
      await alerts.postpone(alert.id, 5_000);
      assert.equal(await alerts.take(4_999, 6_000), undefined);
      assert.equal((await alerts.take(5_000, 6_000))?.attempts, 1);
      await alerts.postpone(alert.id, null);
      assert.equal(await alerts.take(900_000, 900_001), undefined);
      const other = alertOf({ threshold: '1' });
      await alerts.raise(other);
      await alerts.take(1_000, 2_000);
      await alerts.delivered(other.id, 1_500);
      assert.equal(await alerts.take(900_000, 900_001), undefined);
    });

    test('alerts of the last days can be read with what became of them, newest first', async (t) => {
      const { alerts } = await open(t);
      const made = [1, 2, 3].map((n) => alertOf({ threshold: `${n}`, createdAt: n * 1_000 }));
      for (const alert of made) await alerts.raise(alert);
      const [old, given, delivered] = made.map(({ id }) => id);
      await alerts.postpone(given ?? '', null);
      await alerts.delivered(delivered ?? '', 4_000);
      const read = await alerts.raisedSince(1_000, 10);
      assert.deepEqual(
        read.map(({ id, attempts, deliveredAt, dueAt }) => [id, attempts, deliveredAt, dueAt]),
        [
          [delivered, 1, 4_000, null],
          [given, 1, null, null],
          [old, 0, null, 1_000],
        ],
      );
      assert.deepEqual([read[0]?.type, read[0]?.body], ['key.limit', made[2]?.body]);
      assert.deepEqual((await alerts.raisedSince(2_000, 10)).length, 2);
      assert.deepEqual((await alerts.raisedSince(0, 1)).length, 1);
      await alerts.prune(2_000 + keptAlerts);
      const kept = await alerts.raisedSince(0, 10);
      assert.deepEqual(
        kept.map(({ id }) => id),
        [delivered, old],
        'what waits stays, what can be read too',
      );
    });

    test('a place that is armed again can be raised again; what is over is forgotten once it was sent', async (t) => {
      const { alerts } = await open(t);
      const low = { subject: 'account a1', threshold: 'balance', window: 'low', expiresAt: null };
      const first = alertOf(low);
      await alerts.raise(first);
      assert.equal(await alerts.raise(alertOf(low)), false);
      await alerts.rearm(first, 1_000);
      await alerts.rearm(alertOf({ subject: 'account a2' }), 1_000);
      const second = alertOf(low);
      assert.equal(await alerts.raise(second), true);
      const late = 1_000_000_000;
      await alerts.prune(late);
      assert.equal((await alerts.raisedFor(['account a1'])).length, 2, 'it waits to be sent');
      await alerts.delivered(first.id, 1_500);
      await alerts.delivered(second.id, 1_500);
      await alerts.prune(late);
      assert.deepEqual(await alerts.raisedFor(['account a1']), [
        { subject: 'account a1', threshold: 'balance', window: 'low' },
      ]);
    });
  });
}
