import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, nameOf } from '../../dashboard/pages/audit/words.ts';

test('what an entry changed is in words: secrets are never objects, times are in the zone', () => {
  const after = {
    key: { set: true, changed: true },
    expires_at: '2026-12-01T00:00:00.000Z',
    disabled: true,
    allowed_models: ['a/b', 'c/*'],
    rates: { requests_per_minute: 3 },
  };
  const before = { key: { set: true }, expires_at: null, disabled: false };
  const words = Object.fromEntries(
    changesOf({ before, after }, 'Europe/Berlin').map((one) => [one.field, [one.before, one.after]]),
  );
  assert.deepEqual(words, {
    key: ['set, not shown', 'changed, not shown'],
    'expires at': ['none', '1 Dec 2026, 01:00:00.000 GMT+1'],
    disabled: ['no', 'yes'],
    'allowed models': ['none', 'a/b, c/*'],
    rates: ['none', '{"requests_per_minute":3}'],
  });
});

test('an entry is named as the lists have it now, else as it was named then', () => {
  const entry = (id: string | null, name: string | null) => ({
    object: { type: 'key', id, workspace_id: null },
    before: null,
    after: name === null ? null : { name },
  });
  const names = new Map([['h1', 'new name']]);
  assert.equal(nameOf(entry('h1', 'old name'), names), 'new name');
  assert.equal(nameOf(entry('h2', 'gone'), names), 'gone');
  assert.equal(nameOf(entry('h3', null), names), undefined);
  assert.equal(nameOf(entry(null, 'x'), names), undefined);
});
