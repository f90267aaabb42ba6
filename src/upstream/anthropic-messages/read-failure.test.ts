import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFailure } from './read-failure.ts';

test('the text of a refusal decides where it is clearer than the status', () => {
  const refusals = [
    [400, 'invalid_request_error', 'messages: text content blocks must be non-empty', undefined],
    [
      400,
      'invalid_request_error',
      'prompt is too long: 210000 tokens > 200000 maximum',
      'upstream_context_length',
    ],
    [
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the API.',
      'upstream_credential',
    ],
    [
      400,
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
      'upstream_credential',
    ],
    [400, 'invalid_request_error', 'This organization has been disabled.', 'upstream_credential'],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'upstream_policy'],
    [404, 'not_found_error', 'model: claude-0', 'upstream_not_found'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'upstream_too_large'],
    [529, 'overloaded_error', 'Overloaded', 'provider_overloaded'],
    [500, 'api_error', 'Internal server error', undefined],
  ] as const;
  for (const [status, type, message, code] of refusals) {
    const body = JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });
    assert.deepEqual(readFailure(status, body), { code, message, providerCode: type });
  }
});

test('causes about the account move on whatever their status', () => {
  for (const [status, type, cause, code] of [
    [400, 'invalid_request_error', 'organization_on_hold', 'upstream_credential'],
    [400, 'invalid_request_error', 'cmek_key_disabled', 'upstream_credential'],
    [429, 'rate_limit_error', 'enforced_spend_limit_reached', 'upstream_credential'],
    [429, 'rate_limit_error', 'ramp_limit_exceeded', 'upstream_rate_limit'],
    [400, 'invalid_request_error', 'image_dimensions_too_large', undefined],
  ] as const) {
    const error = { type, message: 'In words of the day.', details: { error_code: cause } };
    const told = { code, message: error.message, providerCode: cause };
    assert.deepEqual(readFailure(status, JSON.stringify({ type: 'error', error })), told);
  }
});

test('a body of any other kind is ignored', () => {
  for (const body of ['', '<html>', '[]', 'null']) assert.deepEqual(readFailure(502, body), {});
  assert.deepEqual(readFailure(500, '{"error":"x"}'), {
    code: undefined,
    message: undefined,
    providerCode: undefined,
  });
});
