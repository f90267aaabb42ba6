import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFailure, streamFailure } from './read-failure.ts';

const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '27.5s' };
const quota = {
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaId: 'PerMinute' }],
};
const info = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason });

function read(status: string, message: string, ...details: object[]) {
  const error = { code: 400, message, status, details };
  return JSON.parse(JSON.stringify(readFailure(400, JSON.stringify({ error }))));
}

test('status, words and the time to wait are read from the body, also from a list', () => {
  const told = { message: 'Slow down.', providerCode: 'RESOURCE_EXHAUSTED', retryAfter: 27.5 };
  assert.deepEqual(read('RESOURCE_EXHAUSTED', 'Slow down.', quota, retry), told);
  const list = [
    { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED', details: [retry] } },
  ];
  assert.deepEqual(JSON.parse(JSON.stringify(readFailure(429, JSON.stringify(list)))), told);
});

test('refusals whose text is clearer than the status', () => {
  const cases = [
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      undefined,
      'upstream_context_length',
    ],
    ['API key not valid. Please pass a valid API key.', 'API_KEY_INVALID', 'upstream_credential'],
    ['User location is not supported for the API use.', undefined, 'upstream_region'],
    ['Please use a valid role: user, model.', undefined, undefined],
  ] as const;
  for (const [message, reason, code] of cases) {
    const details = reason === undefined ? [] : [info(reason)];
    assert.equal(read('INVALID_ARGUMENT', message, ...details).code, code, message);
  }
});

test('bodies that are no reports say nothing', () => {
  for (const body of ['', '<html>', '[]', '{}', 'null', '{"error":"x"}', '[{"error":[]}]']) {
    assert.deepEqual(readFailure(500, body), {}, body);
  }
});

test('inside a stream the status decides', () => {
  const cases = [
    ['RESOURCE_EXHAUSTED', 'upstream_rate_limit'],
    ['UNAVAILABLE', 'provider_overloaded'],
    ['INTERNAL', 'provider_failed'],
    ['UNAUTHENTICATED', 'upstream_credential'],
    ['NEW_ONE', 'provider_failed'],
  ] as const;
  for (const [status, code] of cases) {
    const error = streamFailure({ status, message: 'So.', details: [retry] });
    assert.deepEqual([error.code, error.retryAfter, error.metadata.provider_code], [code, 27.5, status]);
  }
});
