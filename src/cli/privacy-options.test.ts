import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { CommandFailure } from './command-failure.ts';
import {
  addPrivacyOptions,
  changePrivacy,
  checkProviders,
  type PrivacyOptions,
  showPrivacy,
} from './privacy-options.ts';

function read(...argv: string[]): PrivacyOptions {
  const command = addPrivacyOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(argv, { from: 'user' }).opts();
}

test('each option changes its setting and leaves the others', () => {
  const before = { allowedProviders: ['north'], forbidFreeTraining: true };
  assert.equal(changePrivacy(before, read()), undefined);
  const options = read('--ignore-providers', 'South, south/EU', '--paid-training', 'false');
  const after = { ...before, ignoredProviders: ['south', 'south/eu'], forbidPaidTraining: true };
  assert.deepEqual(changePrivacy(before, options), after);
  const lifted = read('--allow-providers', 'any', '--free-training', 'true', '--ignore-providers', 'none');
  assert.deepEqual(changePrivacy(after, lifted), { forbidPaidTraining: true });
  assert.deepEqual(changePrivacy(undefined, read('--zero-retention-authors', 'acme')), {
    zeroRetentionAuthors: ['acme'],
  });
  assert.deepEqual(changePrivacy({ forbidFreePublication: true }, read('--free-publication', 'true')), {});
});

test('a list without words and a provider nobody knows are refused', () => {
  assert.throws(() => read('--allow-providers', 'a,,b'), /It must be a list such as a,b or "any"/);
  assert.throws(() => read('--paid-training', 'no'), /It must be true or false/);
  const known = new Map();
  assert.throws(() => checkProviders(read('--allow-providers', 'nobody'), known), CommandFailure);
  checkProviders(read('--allow-providers', 'sandbox', '--ignore-providers', 'sandbox/turbo'), known);
});

test('without settings everything is allowed', () => {
  assert.deepEqual(showPrivacy(undefined), {
    allowed_providers: null,
    ignored_providers: null,
    paid_training: true,
    free_training: true,
    free_publication: true,
    zero_retention_authors: null,
  });
});
