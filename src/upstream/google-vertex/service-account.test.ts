import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { createServiceAccountKey } from '../../../test/support/service-account-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import { Secret } from '../../util/secret.ts';
import { readServiceAccount } from './service-account.ts';

function read(key: string | undefined, quirks: Readonly<Record<string, unknown>> = {}) {
  const apiKey = key === undefined ? undefined : new Secret(key);
  return readServiceAccount(createCall({ provider: { apiKey, quirks } }).endpoint.provider);
}

test('a key names project, account and, if it likes, a region', () => {
  const { projectId, clientEmail, region } = read(createServiceAccountKey());
  assert.deepEqual(
    [projectId, clientEmail, region],
    ['tides-123', 'gateway@tides-123.iam.gserviceaccount.com', 'global'],
  );
  assert.equal(read(createServiceAccountKey({ region: 'europe-west4' })).region, 'europe-west4');
  assert.equal(read(createServiceAccountKey(), { region: 'us-central1' }).region, 'us-central1');
});

test('the same credential is read once', () => {
  const { provider } = createCall({ provider: { apiKey: new Secret(createServiceAccountKey()) } }).endpoint;
  assert.equal(readServiceAccount(provider), readServiceAccount(provider));
});

test('what is no such key, or leads elsewhere, is an unusable credential and is not echoed', () => {
  const token = (token_uri: string) => createServiceAccountKey({ token_uri });
  const keys = [
    undefined,
    'AIzaSy-not-json',
    '[]',
    createServiceAccountKey({ type: 'authorized_user' }),
    createServiceAccountKey({ project_id: '' }),
    createServiceAccountKey({ private_key: undefined }),
    createServiceAccountKey({ region: 'evil.test/' }),
    createServiceAccountKey({ region: 'us-central1.evil' }),
    createServiceAccountKey({ region: 'us.evil' }),
    token('http://oauth2.googleapis.com/token'),
    token('https://oauth2.googleapis.com:8443/token'),
    token('https://user@oauth2.googleapis.com/token'),
    token('https://oauth2.googleapis.com.evil.test/token'),
    token('https://169.254.169.254/token'),
    token('file:///etc/passwd'),
    token('nonsense'),
  ];
  for (const key of keys) {
    assert.throws(
      () => read(key),
      (thrown) =>
        thrown instanceof HeadgateError &&
        thrown.code === 'upstream_credential' &&
        !/evil|AIza|169|BEGIN/.test(thrown.message),
      key,
    );
  }
});

test("further origins of tokens are the operator's to name", () => {
  const key = createServiceAccountKey({ token_uri: 'http://127.0.0.1:9/token' });
  assert.equal(read(key, { tokenOrigins: ['http://127.0.0.1:9'] }).tokenUri, 'http://127.0.0.1:9/token');
  assert.throws(() => read(key, { tokenOrigins: ['https://127.0.0.1:9'] }), HeadgateError);
  assert.throws(() => read(key, { tokenOrigins: 'http://127.0.0.1:9' }), HeadgateError);
});
