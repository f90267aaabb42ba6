import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFailure } from './read-failure.ts';

test('refusals are told by their own words where those are clearer than the status', () => {
  const refusals = [
    [
      400,
      { error: { message: 'm', type: 'invalid_request_error', param: 'x', code: 'unknown_parameter' } },
      { code: undefined, message: 'm', providerCode: 'unknown_parameter', retryAfter: undefined },
    ],
    [
      400,
      { error: { message: 'Too long', type: 'invalid_request_error', code: 'context_length_exceeded' } },
      {
        code: 'upstream_context_length',
        message: 'Too long',
        providerCode: 'context_length_exceeded',
        retryAfter: undefined,
      },
    ],
    [
      429,
      { error: { message: 'Please try again in 250ms.', type: 'tokens', code: 'rate_limit_exceeded' } },
      {
        code: 'upstream_rate_limit',
        message: 'Please try again in 250ms.',
        providerCode: 'rate_limit_exceeded',
        retryAfter: 0.25,
      },
    ],
    [
      429,
      { error: { message: 'm', type: 'insufficient_quota', code: null } },
      {
        code: 'upstream_credential',
        message: 'm',
        providerCode: 'insufficient_quota',
        retryAfter: undefined,
      },
    ],
    [
      404,
      { error: { message: 'm', code: 'model_not_found' } },
      { code: 'upstream_not_found', message: 'm', providerCode: 'model_not_found', retryAfter: undefined },
    ],
    [
      400,
      { message: 'flat', code: 'content_policy_violation' },
      {
        code: 'upstream_policy',
        message: 'flat',
        providerCode: 'content_policy_violation',
        retryAfter: undefined,
      },
    ],
    [
      403,
      { error: { message: 'm', code: 'unsupported_country_region_territory' } },
      {
        code: 'upstream_region',
        message: 'm',
        providerCode: 'unsupported_country_region_territory',
        retryAfter: undefined,
      },
    ],
  ] as const;
  for (const [status, body, report] of refusals) {
    assert.deepEqual(readFailure(status, JSON.stringify(body)), report);
  }
});

test('a body of any other kind says nothing', () => {
  for (const body of ['', '<html>', '[]', '"x"', 'null']) assert.deepEqual(readFailure(502, body), {});
});
