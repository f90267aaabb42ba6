import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { zeroUsd } from '../../src/core/money.ts';
import type { NewCallNote } from '../../src/ports/call-notes.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { CallFilters, UsageFilters } from '../../src/ports/usage.ts';
import type { OpenStorage } from './fixtures.ts';

const asked = { models: ['acme/atlas-4'], provider: { zdr: true }, tools: ['function'] };

function refusedAt(
  at: number,
  changes: Partial<Generation> = {},
): NewCallNote & Required<Pick<NewCallNote, 'refused'>> {
  const id = `gen-${String(at).padStart(3, '0')}`;
  const generation: Generation = {
    id,
    requestId: id,
    accountId: 'org_a',
    keyHash: 'key_a',
    workspaceId: null,
    createdAt: at - 1,
    settledAt: at,
    requestedModel: 'acme/atlas-4',
    errorType: 'rate_limit_exceeded',
    sessionId: 'a "quoted" session\u0000',
    streamed: true,
    isByok: false,
    cancelled: false,
    usage: {},
    usageEstimated: false,
    insured: false,
    cost: zeroUsd,
    listCost: zeroUsd,
    attempts: [],
    ...changes,
  };
  const refused = { generation, refusal: { status: 429, message: 'Too many.' } };
  return { id: generation.id, accountId: generation.accountId, at, asked, refused };
}

/** What is kept of calls beside their records (docs/spec/dashboard.md#refused-requests-and-plans). */
export function describeCallNotes(name: string, open: OpenStorage): void {
  describe(`call notes: ${name}`, () => {
    test('refused requests and plans are found as they were stored, once', async (t) => {
      const { callNotes } = await open(t);
      const target = { model: 'm', tag: 't', provider: 'p', tier: 'default', credential: 'own' } as const;
      const plan = { targets: [target], excluded: [], further: 3 };
      const note = refusedAt(7);
      await callNotes.add([note, { id: 'gen-x', accountId: 'org_a', at: 8, asked, plan }]);
      await callNotes.add([{ ...note, accountId: 'org_b' }]);
      assert.deepEqual(await callNotes.find('gen-007'), { accountId: 'org_a', asked, refused: note.refused });
      assert.deepEqual(await callNotes.find('gen-x'), { accountId: 'org_a', asked, plan });
      assert.equal(await callNotes.find('gen-none'), undefined);
    });

    test('refused requests are listed newest first, by filters and behind a place', async (t) => {
      const { callNotes } = await open(t);
      await callNotes.add([
        refusedAt(1),
        refusedAt(2, { keyHash: 'key_b', workspaceId: 'w' }),
        refusedAt(3, { requestedModel: 'globex/ibis', errorType: 'payment_required' }),
        refusedAt(4, { sessionId: undefined, appTitle: 'App', preset: 'mail', presetId: 'p1' }),
        refusedAt(5, { accountId: 'org_b' }),
        { id: 'gen-x', accountId: 'org_a', at: 4, asked },
      ]);
      const listed = async (filters: UsageFilters = {}, calls: CallFilters = {}, rest = {}) => {
        const query = { range: { from: 1, to: 6 }, limit: 10, calls, ...rest };
        const rows = await callNotes.refused({ ...query, filters: { ...filters, accountId: 'org_a' } });
        return rows.map(({ generation }) => generation.settledAt);
      };
      assert.deepEqual(await listed(), [4, 3, 2, 1]);
      assert.deepEqual(await listed({ keyHash: 'key_b', workspaceId: 'w' }), [2]);
      assert.deepEqual(await listed({ model: 'globex/*' }), [3]);
      assert.deepEqual(await listed({ errorType: 'payment_required' }), [3]);
      assert.deepEqual(await listed({}, { sessionId: 'a "quoted" session\u0000' }), [3, 2, 1]);
      assert.deepEqual(await listed({}, { appTitle: 'App' }), [4]);
      assert.deepEqual(await listed({}, { requestId: 'gen-002' }), [2]);
      assert.deepEqual(await listed({}, { preset: 'mail' }), [4]);
      assert.deepEqual(await listed({}, { requestedModel: 'globex/*' }), [3]);
      assert.deepEqual(await listed({}, { status: 429, preset: 'mail' }), [4]);
      assert.deepEqual(await listed({}, { status: 402 }), []);
      assert.deepEqual(await listed({}, {}, { limit: 2 }), [4, 3]);
      assert.deepEqual(await listed({}, {}, { before: { settledAt: 3, id: 'gen-003' } }), [2, 1]);
      assert.deepEqual(await listed({}, {}, { range: { from: 2, to: 4 } }), [3, 2]);
    });

    test('notes that are too old or too many go, the oldest first', async (t) => {
      const { callNotes } = await open(t);
      await callNotes.add(Array.from({ length: 12 }, (_, index) => refusedAt(index)));
      const left = async () => {
        const query = { range: { from: 0, to: 100 }, filters: { accountId: 'org_a' }, calls: {}, limit: 100 };
        return (await callNotes.refused(query)).map(({ generation }) => generation.settledAt);
      };
      assert.equal(await callNotes.prune(2, 1_000), 2);
      assert.equal((await left()).length, 10);
      assert.equal(await callNotes.prune(0, 8), 2);
      assert.deepEqual(await left(), [11, 10, 9, 8, 7, 6, 5, 4]);
      assert.equal(await callNotes.prune(0, 8), 0);
    });
  });
}
