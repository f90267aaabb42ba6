import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportedFailure } from './adapter.ts';
import { readFailure } from './openai-failures.ts';

function read(body: unknown): ReportedFailure {
  return JSON.parse(JSON.stringify(readFailure(400, typeof body === 'string' ? body : JSON.stringify(body))));
}

test('message and code are found in every form the look-alikes use', () => {
  const cases: readonly (readonly [unknown, ReportedFailure])[] = [
    [
      { error: { message: 'No.', type: 'invalid_request_error', code: 'bad' } },
      { message: 'No.', providerCode: 'bad' },
    ],
    [
      { error: { message: 'No.', type: 'some_type', code: null } },
      { message: 'No.', providerCode: 'some_type' },
    ],
    [
      { error: { message: 'No.', code: 400, type: 'some_type' } },
      { message: 'No.', providerCode: 'some_type' },
    ],
    [{ error: 'No.' }, { message: 'No.' }],
    [
      { object: 'error', message: 'No.', type: 'BadRequestError', code: 400 },
      { message: 'No.', providerCode: 'BadRequestError' },
    ],
    [[{ error: { message: 'No.', status: 'X' } }], { message: 'No.' }],
    [{ detail: 'No.' }, { message: 'No.' }],
    [
      { detail: [{ loc: ['body'], msg: 'Field required' }, { msg: 'Too long' }] },
      { message: 'Field required; Too long' },
    ],
    [
      { message: { detail: [{ msg: 'Extra inputs' }] }, type: 'invalid' },
      { message: 'Extra inputs', providerCode: 'invalid' },
    ],
    ['No such model', { message: 'No such model' }],
    ['<html>Bad gateway</html>', {}],
    ['', {}],
    ['x'.repeat(600), {}],
    [17, {}],
    [null, {}],
  ];
  for (const [body, expected] of cases) assert.deepEqual(read(body), expected, JSON.stringify(body));
});

test('codes that are more precise than the status decide', () => {
  const cases = [
    [{ code: 'context_length_exceeded' }, 'upstream_context_length'],
    [{ type: 'exceed_context_size_error' }, 'upstream_context_length'],
    [{ message: "This model's maximum context length is 8192 tokens." }, 'upstream_context_length'],
    [{ code: 'content_policy_violation' }, 'upstream_policy'],
    [{ code: 'unsupported_country_region_territory' }, 'upstream_region'],
    [{ code: 'model_not_found' }, 'upstream_not_found'],
    [{ code: 'insufficient_quota' }, 'upstream_credential'],
    [{ message: 'Incorrect API key provided: nk-***.' }, 'upstream_credential'],
    [{ message: 'API key not valid. Please pass a valid API key.' }, 'upstream_credential'],
    [{ message: 'Something else' }, undefined],
  ] as const;
  for (const [error, code] of cases) assert.equal(read({ error }).code, code, JSON.stringify(error));
});

test('who asks others hands their words on', () => {
  const handedOn = (raw: unknown, code = 400) =>
    read({
      error: { message: 'Provider returned error', code, metadata: { raw, provider_name: 'NorthGPU' } },
      user_id: 'u',
    });
  const tooLong = "This endpoint's maximum context length is 8192 tokens.";
  const inner = { error: { message: tooLong, type: 'BadRequestError', code: 400 } };
  for (const raw of [inner, JSON.stringify(inner), tooLong]) {
    const { code, message } = handedOn(raw);
    assert.deepEqual({ code, message }, { code: 'upstream_context_length', message: tooLong });
  }
  assert.equal(handedOn('<html>').message, 'Provider returned error');
  const limited = handedOn('{"error":{"message":"Slow down. Please try again in 2s."}}', 429);
  assert.equal(limited.retryAfter, 2);
  const flagged = 'Your chosen model requires moderation and your input was flagged';
  const metadata = { reasons: ['violence'], flagged_input: '...', provider_name: 'NorthGPU' };
  assert.equal(read({ error: { message: flagged, code: 403, metadata } }).code, 'upstream_policy');
});

test('a wait in the message is read in seconds', () => {
  const wait = (message: string) => read({ error: { message } }).retryAfter;
  assert.equal(wait('Rate limit reached. Please try again in 11.5s.'), 11.5);
  assert.equal(wait('Please try again in 200ms.'), 0.2);
  assert.equal(wait('Please retry after 6 seconds.'), 6);
  assert.equal(wait('Rate limit is exceeded. Try again in 17 seconds.'), 17);
  assert.equal(wait('Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit us.'), 432);
  assert.equal(wait('Please try again in 1h0m5.5s.'), 3605.5);
  assert.equal(wait('Please retry after 250 milliseconds.'), 0.25);
  assert.equal(wait('Please try again later.'), undefined);
  assert.equal(wait('Please retry after 3 attempts.'), undefined);
});

test('the text of a refusal decides where it is clearer than the status', () => {
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
