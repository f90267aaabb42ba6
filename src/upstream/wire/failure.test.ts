import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall, testApiKey } from '../../../test/fake-upstream/upstream-call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { Secret } from '../../util/secret.ts';
import {
  brokenConnection,
  brokenStream,
  codeOfStatus,
  noAnswer,
  passedLimit,
  refusedCall,
} from './failure.ts';

const { provider } = createCall({
  provider: { headers: { 'x-team': 'gateway', 'x-token': 'a-second-secret-token' } },
}).endpoint;

test('each status becomes the error of docs/spec/routing.md#outcomes', () => {
  const codes = {
    400: 'upstream_invalid_request',
    401: 'upstream_credential',
    402: 'upstream_credential',
    403: 'upstream_credential',
    404: 'upstream_not_found',
    408: 'provider_timeout',
    409: 'provider_failed',
    413: 'upstream_too_large',
    418: 'provider_failed',
    422: 'upstream_unprocessable',
    429: 'upstream_rate_limit',
    500: 'provider_failed',
    502: 'provider_failed',
    503: 'provider_overloaded',
    504: 'provider_timeout',
    529: 'provider_overloaded',
  };
  for (const [status, code] of Object.entries(codes))
    assert.equal(codeOfStatus(Number(status)), code, status);
});

test('failures that the caller can fix show the provider’s message, cut and without secrets', () => {
  const message = `No ${testApiKey}, no a-second-secret-token at gateway. ${'x'.repeat(600)}`;
  const error = refusedCall(provider, 400, { message, providerCode: `bad_${testApiKey}` });
  assert.equal(error.code, 'upstream_invalid_request');
  assert.ok(error.message.startsWith('No [secret], no [secret] at gateway. xxx'));
  assert.equal(error.message.length, 500);
  assert.deepEqual(error.metadata, { provider_name: 'NorthGPU', provider_code: 'bad_[secret]' });
});

test('a credential in a configured header is a secret without its scheme, too', () => {
  const { provider: withScheme } = createCall({
    provider: { headers: { authorization: 'Bearer sk-0123456789abcdef' } },
  }).endpoint;
  const message = 'No model for sk-0123456789abcdef (Bearer sk-0123456789abcdef).';
  assert.equal(refusedCall(withScheme, 404, { message }).message, 'No model for [secret] (Bearer [secret]).');
});

test('the parts of a credential are secrets as well', () => {
  const parts = {
    accessKeyId: 'AKIDEXAMPLE123456789',
    secretAccessKey: 'wJalrXUtnFEMI-EXAMPLEKEY',
    region: 'eu-west-1',
  };
  const withParts = { ...provider, apiKey: new Secret(JSON.stringify(parts)) };
  const message = `No ${parts.accessKeyId} with ${parts.secretAccessKey} in eu-west-1.`;
  assert.equal(refusedCall(withParts, 400, { message }).message, 'No [secret] with [secret] in eu-west-1.');
});

test('other failures never show the provider’s words', () => {
  for (const status of [401, 402, 403, 429, 500, 503]) {
    const error = refusedCall(provider, status, { message: 'internal words of tenant 42' });
    assert.ok(error.message.includes('NorthGPU'), String(status));
    assert.ok(!error.message.includes('tenant'), String(status));
    assert.equal(error.metadata.provider_code, String(status));
  }
});

test('the adapter’s reading of a body wins over the status, but a credential stays a credential', () => {
  const code = (status: number, reported: Parameters<typeof refusedCall>[2]) =>
    refusedCall(provider, status, reported).code;
  assert.equal(code(400, { code: 'upstream_context_length' }), 'upstream_context_length');
  assert.equal(code(429, { code: 'upstream_credential' }), 'upstream_credential');
  assert.equal(code(403, { code: 'upstream_region' }), 'upstream_region');
  assert.equal(code(403, { code: 'upstream_policy' }), 'upstream_flagged');
  assert.equal(code(400, { code: 'upstream_policy' }), 'upstream_policy');
  assert.equal(code(402, { code: 'upstream_context_length' }), 'upstream_credential');
});

test('a wait comes from the headers, else from the body', () => {
  assert.equal(refusedCall(provider, 429, { retryAfter: 2.2 }, 9).retryAfter, 9);
  assert.equal(refusedCall(provider, 429, { retryAfter: 2.2 }).retryAfter, 3);
  assert.equal(refusedCall(provider, 429, {}).retryAfter, undefined);
});

test('a failure inside the stream gains the provider’s name and loses secrets', () => {
  const inside = new HeadgateError('provider_failed', `Lost ${testApiKey}.`, {
    metadata: { provider_code: 'lost' },
  });
  const error = brokenStream(provider, inside);
  assert.equal(error.message, 'Lost [secret].');
  assert.deepEqual(error.metadata, { provider_name: 'NorthGPU', provider_code: 'lost' });
  const credential = brokenStream(provider, new HeadgateError('upstream_credential', 'Key nk-*** is dead.'));
  assert.ok(!credential.message.includes('nk-'));
});

test('a broken connection reveals no address', () => {
  const cause = new Error('connect ECONNREFUSED 10.1.2.3:443');
  const error = brokenConnection(provider, false, cause);
  assert.equal(error.message, 'NorthGPU could not be reached.');
  assert.equal(error.cause, cause);
  assert.equal(brokenConnection(provider, true, cause).message, 'The connection to NorthGPU broke.');
});

test('a passed limit is named with its length', () => {
  assert.equal(passedLimit(provider, 'connect').code, 'provider_failed');
  for (const limit of ['firstEvent', 'idle', 'total'] as const) {
    const error = passedLimit(provider, limit);
    assert.equal(error.code, 'provider_timeout');
    assert.ok(error.message.includes(`${provider.timeouts[limit] / 1000} s`));
  }
});

test('an answer that is not a stream is a failure, unless its body names another', () => {
  assert.equal(noAnswer(provider, {}).message, 'NorthGPU sent neither an event stream nor JSON.');
  assert.equal(noAnswer(provider, { code: 'upstream_context_length' }).code, 'upstream_context_length');
});
