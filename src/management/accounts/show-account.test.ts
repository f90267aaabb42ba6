import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newAccount } from './accounts.ts';
import { showAccount } from './show.ts';

test('without privacy settings everything is allowed', () => {
  assert.deepEqual(showAccount(newAccount('Acme', 'prepaid', 0)).privacy, {
    allowed_providers: null,
    ignored_providers: null,
    paid_training: true,
    free_training: true,
    free_publication: true,
    zero_retention_authors: null,
  });
});
