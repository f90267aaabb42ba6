import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { mergePrivacy } from '../management/accounts/accounts.ts';
import type { AccountPrivacy } from '../ports/accounts.ts';
import { addPrivacyOptions, readPrivacy } from './commands/accounts.ts';

function read(...argv: string[]): AccountPrivacy {
  const command = addPrivacyOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return readPrivacy(command.parse(argv, { from: 'user' }).opts());
}

test('each option changes its setting and leaves the others', () => {
  const before = { allowedProviders: ['north'], forbidFreeTraining: true };
  assert.equal(mergePrivacy(before, read()), undefined);
  const options = read('--ignore-providers', 'South, south/EU', '--paid-training', 'false');
  const after = { ...before, ignoredProviders: ['south', 'south/eu'], forbidPaidTraining: true };
  assert.deepEqual(mergePrivacy(before, options), after);
  const lifted = read('--allow-providers', 'any', '--free-training', 'true', '--ignore-providers', 'none');
  assert.deepEqual(mergePrivacy(after, lifted), { forbidPaidTraining: true });
  assert.deepEqual(mergePrivacy(undefined, read('--zero-retention-authors', 'acme')), {
    zeroRetentionAuthors: ['acme'],
  });
  assert.deepEqual(mergePrivacy({ forbidFreePublication: true }, read('--free-publication', 'true')), {});
});

test('a list without words is refused', () => {
  assert.throws(() => read('--allow-providers', 'a,,b'), /It must be a list such as a,b or "any"/);
  assert.throws(() => read('--paid-training', 'no'), /It must be true or false/);
});
