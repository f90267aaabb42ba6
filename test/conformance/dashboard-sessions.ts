import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DashboardSession,
  mostSessions,
  mostSessionsOfKey,
} from '../../src/ports/dashboard-sessions.ts';
import type { OpenStorage } from './fixtures.ts';

function sessionOf(id: string, changes: Partial<DashboardSession> = {}): DashboardSession {
  return {
    id,
    csrf: `csrf of ${id}`,
    principals: [{ keyHash: 'k1', kind: 'management', accountId: 'a1' }],
    createdAt: 1_000,
    usedAt: 1_000,
    endsAt: 100_000,
    idle: 10_000,
    address: null,
    browser: 'Firefox',
    ...changes,
  };
}

/** Sessions of the dashboard and login links (docs/spec/dashboard.md#sessions). */
export function describeDashboardSessions(name: string, open: OpenStorage): void {
  describe(`dashboard sessions: ${name}`, () => {
    test('a session is found as it was stored until it is deleted', async (t) => {
      const { sessions } = await open(t);
      const session = sessionOf('s-found', { address: '::1' });
      await sessions.create(session);
      assert.deepEqual(await sessions.find('s-found'), session);
      await sessions.touch('s-found', 5_000);
      await sessions.touch('s-found', 4_000);
      assert.equal((await sessions.find('s-found'))?.usedAt, 5_000);
      const principals = session.principals.map((one) => ({ ...one, typedAt: 6_000 }));
      await sessions.setPrincipals('s-found', principals);
      assert.deepEqual((await sessions.find('s-found'))?.principals, principals);
      assert.equal(await sessions.delete('s-found'), true);
      assert.equal(await sessions.delete('s-found'), false);
      assert.equal(await sessions.find('s-found'), undefined);
    });

    test('sessions are listed by the key they began with; ended ones make room', async (t) => {
      const { sessions } = await open(t);
      const principals = [{ keyHash: 'k-list', kind: 'inference', accountId: 'a1' }] as const;
      await sessions.create(sessionOf('s-old', { principals, endsAt: 2_000 }));
      await sessions.create(sessionOf('s-idle', { principals, idle: 500 }));
      await sessions.create(sessionOf('s-new', { principals, createdAt: 3_000, usedAt: 3_000 }));
      const ids = (await sessions.ofKey('k-list')).map(({ id }) => id);
      assert.deepEqual(ids, ['s-new']);
    });

    /** Makes sessions of a key, used at a moment after the test began. Those of tests that began before have ended. */
    const livingSince = (from: number) => (id: string, accountId: string, keyHash: string, at: number) =>
      sessionOf(id, {
        principals: [{ keyHash, kind: keyHash.endsWith('boss') ? 'management' : 'inference', accountId }],
        createdAt: from,
        usedAt: from + at,
        endsAt: from + 1_000_000,
        idle: 1_000_000,
      });

    test('of one key the session unused for longest makes room, and those of other keys stay', async (t) => {
      const { sessions } = await open(t);
      const from = 1_000_000;
      const livingOf = livingSince(from);
      await sessions.create(livingOf('s-other', 'a1', 'k-other', 0));
      for (let n = 0; n <= mostSessionsOfKey; n += 1)
        await sessions.create(livingOf(`s-many-${n}`, 'a1', 'k-many', n));
      const ids = (await sessions.ofKey('k-many')).map(({ id }) => id);
      assert.equal(ids.length, mostSessionsOfKey);
      assert.equal(await sessions.find('s-many-0'), undefined);
      assert.ok(await sessions.find('s-many-1'));
      await sessions.touch('s-many-1', from + 100);
      await sessions.create(livingOf('s-many-next', 'a1', 'k-many', 101));
      assert.ok(await sessions.find('s-many-1'), 'it was used since');
      assert.equal(await sessions.find('s-many-2'), undefined);
      assert.ok(await sessions.find('s-other'));
    });

    test('in all, the account with most sessions makes room, however many keys it has', async (t) => {
      const { sessions } = await open(t);
      const livingOf = livingSince(3_000_000);
      await sessions.create(livingOf('s-alone', 'a-alone', 'k-alone', 0));
      for (let n = 0; n < 5; n += 1)
        await sessions.create(livingOf(`s-small-${n}`, 'a-small', `k-small-${n % 2}`, n));
      const left = async (ids: readonly string[]) =>
        (await Promise.all(ids.map((id) => sessions.find(id)))).filter(Boolean).length;
      const large: string[] = [];
      for (let n = 0; large.length < mostSessions + 10; n += 1) {
        const id = `s-large-${n}`;
        large.push(id);
        const key = n < 3 ? 'k-large-boss' : `k-large-${Math.floor(n / mostSessionsOfKey)}`;
        await sessions.create(livingOf(id, 'a-large', key, 10 + n));
      }
      const small = ['s-alone', ...Array.from({ length: 5 }, (_, n) => `s-small-${n}`)];
      assert.equal(await left(small), 6);
      assert.equal(await left(large), mostSessions - 6);
      assert.equal(await left(large.slice(0, 3)), 3, 'a key with fewer sessions keeps them');
      await sessions.create(livingOf('s-small-5', 'a-small', 'k-small-1', 1));
      assert.equal(await left([...small, 's-small-5']), 7);
      assert.equal(await left(large), mostSessions - 7);
    });

    test('a link works once, and not after its time', async (t) => {
      const { sessions } = await open(t);
      await sessions.createLink({ codeHash: 'c1', keyHash: 'k1', expiresAt: 2_000 }, 1_000);
      await sessions.createLink({ codeHash: 'c2', keyHash: 'k1', expiresAt: 2_000 }, 1_000);
      const both = await Promise.all([sessions.takeLink('c1', 1_999), sessions.takeLink('c1', 1_999)]);
      assert.deepEqual(both.filter(Boolean), ['k1']);
      assert.equal(await sessions.takeLink('c2', 2_000), undefined);
      assert.equal(await sessions.takeLink('unknown', 1), undefined);
    });
  });
}
