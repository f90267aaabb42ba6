import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFields } from '../make-change.ts';

test('an entry names long fields by length and hash, and only when it is long as a whole', () => {
  const short = { name: 'one', config: { text: 'x'.repeat(2_000) } };
  assert.deepEqual(changedFields(undefined, short), { before: null, after: short });
  const long = { name: 'one', config: { text: 'x'.repeat(20_000) } };
  const { before, after } = changedFields(short, long);
  assert.deepEqual(before, { config: short.config });
  const kept = JSON.stringify(after);
  assert.match(kept, /"sha256":"[0-9a-f]{64}"/);
  assert.ok(kept.includes(`"characters":${JSON.stringify(long.config).length}`));
  assert.equal((changedFields(undefined, long).after as { name: string }).name, 'one');
});
