import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plainRules } from '../../src/core/guardrail.ts';
import { holds, LimitCalendar, type LimitWindows, resetIntervals } from '../../src/core/limit-calendar.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { account, apiKey, generation, type OpenStorage, uniqueHash, usd, wednesday } from './fixtures.ts';

type Open = (clock: Clock, test: Parameters<OpenStorage>[0]) => Promise<Storage>;

const quarter = 900_000;
const hour = 3_600_000;
const day = 24 * hour;

const berlin = { timeZone: 'Europe/Berlin', weekStart: 'sunday' } as const;
const newYork = { timeZone: 'America/New_York', weekStart: 'monday' } as const;

/** Charges of one key at some moments, each another amount, so that a sum shows which of them it holds. */
async function chargeAt({ ledger }: Storage, keyHash: string, moments: readonly number[]) {
  const charges = moments.map((settledAt, index) => ({ settledAt, cost: 2 ** index }));
  for (const { settledAt, cost } of charges) {
    await ledger.settle(
      generation({ keyHash, settledAt, cost: usd(cost), listCost: usd(3 * cost), isByok: cost % 4 === 0 }),
    );
  }
  return charges;
}

function sumsOf(
  charges: readonly { readonly settledAt: number; readonly cost: number }[],
  windows: LimitWindows,
) {
  const sum = (interval: keyof LimitWindows) =>
    charges
      .filter(({ settledAt }) => holds(windows[interval], settledAt))
      .reduce((all, { cost }) => all + cost, 0);
  return Object.fromEntries(resetIntervals.map((interval) => [interval, BigInt(sum(interval))]));
}

/** What limits of another zone than UTC need of every storage. */
export function describeLimitCalendar(name: string, open: Open): void {
  describe(`limit calendar: ${name}`, () => {
    test('a zone that was set before anything was spent holds from always, and usage stays that of UTC', async (t) => {
      const storage = await open({ now: () => wednesday }, t);
      const { ledger, limitCalendar } = storage;
      await limitCalendar.agree(berlin, wednesday);
      const keyHash = uniqueHash();
      // Sunday and Wednesday begin at 23:00Z of the day before in Berlin, November at the same time of October.
      const moments = [
        '2026-10-31T22:59:59.999Z',
        '2026-10-31T23:00:00.000Z',
        '2026-11-14T22:59:59.999Z',
        '2026-11-14T23:00:00.000Z',
        '2026-11-17T22:59:59.999Z',
        '2026-11-17T23:00:00.000Z',
        '2026-11-18T00:00:00.000Z',
      ].map((text) => Date.parse(text));
      await chargeAt(storage, keyHash, moments);
      const { usage, byokUsage } = await ledger.limitSpend(keyHash, wednesday);
      assert.deepEqual(usage, { total: 127n, daily: 96n, weekly: 120n, monthly: 126n });
      assert.deepEqual(byokUsage, { total: 372n, daily: 288n, weekly: 360n, monthly: 372n });
      assert.deepEqual((await ledger.keySpend(keyHash, wednesday)).usage, {
        total: 127n,
        daily: 64n,
        weekly: 112n,
        monthly: 124n,
      });
      // Of another window that holds another moment.
      const before = await ledger.limitSpend(keyHash, Date.parse('2026-11-17T22:59:59.999Z'));
      assert.equal(before.usage.daily, 16n);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('a change holds from the next windows on, in other processes too', async (t) => {
      const storage = await open({ now: () => wednesday }, t);
      const { ledger, limitCalendar } = storage;
      const keyHash = uniqueHash();
      const morning = Date.parse('2026-11-18T06:00Z');
      const early = await chargeAt(storage, keyHash, [morning]);
      await limitCalendar.agree(newYork, wednesday);
      await limitCalendar.agree(newYork, wednesday + 5_000);
      // The day of UTC goes on to its end, and the one after it ends at midnight in New York.
      assert.equal((await ledger.limitSpend(keyHash, wednesday)).usage.daily, 1n);
      const later = [19, 20, 21].flatMap((date) =>
        ['00:00', '04:59', '05:00'].map((time) => Date.parse(`2026-11-${date}T${time}Z`)),
      );
      const charges = await chargeAt(storage, keyHash, [morning, ...later]);
      const daily = async (text: string) => (await ledger.limitSpend(keyHash, Date.parse(text))).usage.daily;
      assert.equal(await daily('2026-11-18T23:59Z'), 2n);
      assert.equal(await daily('2026-11-19T04:59Z'), BigInt(2 + 4));
      assert.equal(await daily('2026-11-19T05:00Z'), BigInt(8 + 16 + 32));
      assert.equal(await daily('2026-11-20T05:00Z'), BigInt(64 + 128 + 256));
      const calendar = new LimitCalendar([
        { since: 0, timeZone: 'UTC', weekStart: 'monday' },
        { since: wednesday, ...newYork },
      ]);
      for (const moment of [wednesday, ...later, Date.parse('2026-12-01T02:00Z')]) {
        const { usage } = await ledger.limitSpend(keyHash, moment);
        const { total: _all, ...sums } = usage;
        assert.deepEqual(
          sums,
          sumsOf([...early, ...charges], calendar.windowsAt(moment)),
          new Date(moment).toISOString(),
        );
        assert.deepEqual(limitCalendar.windowsAt(moment), calendar.windowsAt(moment));
      }
      assert.deepEqual(await ledger.verify(), []);
    });

    test('sums by quarter of an hour are those of the calls, at every moment of three weeks', async (t) => {
      const storage = await open({ now: () => wednesday }, t);
      const { ledger, limitCalendar } = storage;
      await limitCalendar.agree({ timeZone: 'Asia/Kathmandu', weekStart: 'saturday' }, wednesday);
      const keyHash = uniqueHash();
      const start = wednesday - 20 * day;
      // Not in step with days: each lies at another time of its day.
      const charges = await chargeAt(
        storage,
        keyHash,
        Array.from({ length: 40 }, (_, index) => start + index * (11 * hour + 7 * 60_000)),
      );
      for (let moment = start; moment < wednesday + 2 * day; moment += 5 * hour + quarter) {
        const { total: _all, ...sums } = (await ledger.limitSpend(keyHash, moment)).usage;
        assert.deepEqual(
          sums,
          sumsOf(charges, limitCalendar.windowsAt(moment)),
          new Date(moment).toISOString(),
        );
      }
      assert.deepEqual(await ledger.verify(), []);
    });

    test('callers are read with what counts in the zone: of the key, of its member and of its workspace', async (t) => {
      const storage = await open({ now: () => wednesday }, t);
      const { callers, keys, budgets, guardrails, accounts, limitCalendar } = storage;
      await limitCalendar.agree(berlin, wednesday);
      assert.equal(callers.calendar.windowsAt(wednesday).daily.start, Date.parse('2026-11-17T23:00Z'));
      const owner = account();
      await accounts.create(owner);
      const workspaceId = owner.defaultWorkspaceId ?? '';
      const change = { workspaceId, limit: usd(900), limitReset: 'daily', creatorUserId: 'user-1' } as const;
      const key = apiKey(owner.id, change);
      const other = apiKey(owner.id, change);
      for (const one of [key, other]) await keys.create(one);
      const ofWorkspace = { id: 'budget-1', workspaceId, interval: 'daily', limit: usd(500) } as const;
      await budgets.put({ ...ofWorkspace, createdAt: wednesday, updatedAt: wednesday }, undefined, () => {});
      const rules = { ...plainRules, limit: usd(400), resetInterval: 'daily' } as const;
      await guardrails.create({
        id: 'guardrail-1',
        workspaceId,
        accountId: owner.id,
        name: 'one',
        description: null,
        rules,
        isDefault: true,
        createdAt: wednesday,
        updatedAt: null,
      });
      const at = Date.parse('2026-11-17T23:30Z');
      await chargeAt(storage, key.hash, [at - hour, at]);
      await chargeAt(storage, other.hash, [at - hour, at, at + hour]);
      const caller = await (await callers.read([key.hash], wednesday)).get(key.hash);
      assert.equal(caller?.spend?.usage.daily, 2n);
      const spends = Object.fromEntries(
        [...(caller?.spends ?? [])].map(([subject, { usage }]) => [subject.split(':')[0], usage.daily]),
      );
      assert.deepEqual(spends, { key: 2n, member: 8n, workspace: 8n });
    });

    test('rules and sums that no window needs are forgotten', async (t) => {
      const clock = { time: wednesday, now: () => clock.time };
      const storage = await open(clock, t);
      const { ledger, limitCalendar } = storage;
      const keyHash = uniqueHash();
      await limitCalendar.agree(berlin, wednesday - 60 * day);
      const old = Date.parse('2026-10-01T12:00Z');
      const recent = Date.parse('2026-11-17T23:30Z');
      await chargeAt(storage, keyHash, [old, recent]);
      await limitCalendar.prune(wednesday);
      assert.equal((await ledger.limitSpend(keyHash, wednesday)).usage.daily, 2n);
      assert.equal((await ledger.limitSpend(keyHash, old)).usage.daily, 0n, 'too long ago to be asked for');
      assert.deepEqual(await ledger.verify(), []);
      await limitCalendar.agree({ timeZone: 'UTC', weekStart: 'monday' }, wednesday);
      clock.time = wednesday + 101 * day;
      await limitCalendar.prune(clock.time);
      await limitCalendar.load();
      assert.equal(limitCalendar.windowsAt(clock.time).daily.start % day, 0);
    });
  });
}
