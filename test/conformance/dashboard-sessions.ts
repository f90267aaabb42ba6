import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DashboardSession, mostSessions } from '../../src/ports/dashboard-sessions.ts';
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

    test('the session unused for longest makes room for one too many', async (t) => {
      const { sessions } = await open(t);
      const principals = [{ keyHash: 'k-many', kind: 'management', accountId: 'a1' }] as const;
      const from = 1_000_000;
      const at = (n: number) => ({
        principals,
        createdAt: from,
        usedAt: from + n,
        endsAt: 2 * from,
        idle: from,
      });
      for (let n = 0; n <= mostSessions; n += 1) await sessions.create(sessionOf(`s-many-${n}`, at(n)));
      assert.equal((await sessions.ofKey('k-many')).length, mostSessions);
      assert.equal(await sessions.find('s-many-0'), undefined);
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
