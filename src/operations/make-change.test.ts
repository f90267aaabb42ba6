import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Change as Outdated } from '../ports/invalidation.ts';
import { operator } from './actor.ts';
import { makeChange } from './make-change.ts';

const change = {
  actor: operator,
  action: 'key.update',
  outdates: { kind: 'callers', keyHash: 'a' },
} as const;

test('what a change outdates is forgotten after it, also when it is unknown whether it was stored', async () => {
  const log: (Outdated | string)[] = [];
  const services = { storage: { name: 'stores' }, invalidate: (outdated: Outdated) => log.push(outdated) };
  const result = await makeChange(change, services, async ({ name }) => {
    log.push('stored');
    return name;
  });
  assert.deepEqual([result, log], ['stores', ['stored', change.outdates]]);
  const lost = makeChange(change, services, () => Promise.reject(new Error('connection lost')));
  await assert.rejects(lost, /connection lost/);
  assert.equal(log.length, 3);
});

test('a change that outdates nothing is announced to nobody', async () => {
  const invalidate = () => assert.fail();
  await makeChange({ actor: operator, action: 'secrets.rotate' }, { storage: {}, invalidate }, async () => 1);
});

test('operations write with the stores they are given for a change, and with no others', () => {
  const writes = /storage\.\w+\.(create|update|delete|append|expire|useMasterKey|replaceSealed)\(/;
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const offences = sources.filter((file) =>
    writes.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  );
  assert.deepEqual(offences, []);
});
