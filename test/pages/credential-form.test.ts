import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Credential,
  meaningOf,
  scopeOf,
  type Use,
  useOf,
  uses,
} from '../../dashboard/pages/credentials/flags.ts';
import { changesOf, readCredentialForm } from '../../dashboard/pages/credentials/read-form.ts';

const plainCredential: Credential = {
  id: 'a',
  workspace_id: null,
  provider: 'north',
  name: null,
  label: '...',
  disabled: false,
  ...uses.first,
  declared_zdr: null,
  declared_region: null,
  allowed_models: null,
  allowed_api_key_hashes: null,
  allowed_user_ids: null,
  sort_order: 0,
  created_at: '2026-11-01T00:00:00Z',
};

function form(fields: Readonly<Record<string, string | readonly string[]>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries({ use: 'first', keys: 'all', ...fields })) {
    for (const one of [value].flat()) data.append(name, one);
  }
  return data;
}

test('each use has its flags and its sentence, and flags lead back to their use', () => {
  const all = Object.keys(uses) as Use[];
  for (const use of all) assert.equal(useOf(uses[use]), use);
  assert.equal(new Set(all.map((use) => meaningOf(uses[use]))).size, all.length);
  assert.equal(useOf({ ...uses.only, is_required: true }), 'only', 'the same effect');
});

test('an empty form restricts nothing, and lists are read by line or comma', () => {
  assert.deepEqual(readCredentialForm(form({})), {
    name: null,
    ...uses.first,
    declared_zdr: null,
    allowed_models: null,
    allowed_api_key_hashes: null,
    allowed_user_ids: null,
  });
  const read = readCredentialForm(
    form({
      name: ' eu ',
      use: 'last',
      allowed_models: 'a/b\n c/d,',
      keys: 'some',
      key_hash: ['x', 'y'],
      allowed_user_ids: 'u1, u2',
      retention: 'kept',
    }),
  );
  assert.deepEqual(read, {
    name: 'eu',
    ...uses.last,
    declared_zdr: false,
    allowed_models: ['a/b', 'c/d'],
    allowed_api_key_hashes: ['x', 'y'],
    allowed_user_ids: ['u1', 'u2'],
  });
  assert.throws(() => readCredentialForm(form({ keys: 'some' })), /Choose at least one key/);
});

test('only what was changed is sent, so that a list with a deleted key can stay', () => {
  const before = { ...plainCredential, ...uses.only, is_required: true, allowed_api_key_hashes: ['x'] };
  const same = form({ use: 'only', keys: 'some', key_hash: 'x' });
  assert.deepEqual(changesOf(before, readCredentialForm(same)), {});
  const renamed = form({ use: 'only', keys: 'some', key_hash: 'x', name: 'eu' });
  assert.deepEqual(changesOf(before, readCredentialForm(renamed)), { name: 'eu' });
  assert.deepEqual(changesOf(before, readCredentialForm(form({ use: 'instead' }))), {
    ...uses.instead,
    allowed_api_key_hashes: null,
  });
});

test('what a credential is limited to is one sentence, with keys by their names', () => {
  const keys = new Map([['x', 'ci-bot']]);
  const scope = (fields: Partial<Credential>) => scopeOf({ ...plainCredential, ...fields }, keys);
  assert.equal(scope({}), undefined);
  assert.equal(scope({ allowed_models: [] }), 'For nothing: its list of models or users is empty');
  assert.equal(scope({ allowed_models: ['a', 'b', 'c', 'd', 'e'] }), 'Only for models a, b, c and 2 more');
  assert.equal(
    scope({ allowed_api_key_hashes: ['x'], allowed_user_ids: ['u'] }),
    'Only for key ci-bot; user u',
  );
  assert.equal(scope({ allowed_api_key_hashes: ['x', 'gone'] }), 'Only for 2 keys');
});
