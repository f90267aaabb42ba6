import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { failureOf } from '../../../test/fake-upstream/collect.ts';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { amazonBedrockAdapter } from './amazon-bedrock-adapter.ts';

const transport = createTransport();
const upstream = createHttpUpstream(amazonBedrockAdapter, transport);
after(() => transport.destroy());

const refusals = [
  [400, { message: 'Input is too long for requested model.' }, 'upstream_context_length'],
  [400, { message: 'The provided model identifier is invalid.' }, 'upstream_not_found'],
  [400, { message: 'Malformed input request.' }, 'upstream_invalid_request'],
  [
    400,
    {
      message:
        'Invocation of model ID anthropic.claude-opus-4-5-20251101-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    },
    'upstream_not_found',
  ],
  [400, { message: 'Operation not allowed' }, 'upstream_credential'],
  [
    400,
    {
      message:
        'Access to Anthropic models is not allowed from unsupported countries, regions, or territories.',
    },
    'upstream_region',
  ],
  [403, { Message: 'The security token included in the request is expired' }, 'upstream_credential'],
  [404, { message: 'Could not resolve the model.' }, 'upstream_not_found'],
  [408, { message: 'Model has timed out.' }, 'provider_timeout'],
  [424, { message: 'The model failed.' }, 'provider_failed'],
  [
    429,
    { __type: 'com.amazon#ThrottlingException', message: 'Too many tokens, please wait.' },
    'upstream_rate_limit',
  ],
  [500, {}, 'provider_failed'],
  [503, { message: 'Unable to process your request.' }, 'provider_overloaded'],
] as const;

for (const [status, body, code] of refusals) {
  test(`a ${status} with ${JSON.stringify(body)} is ${code}`, async () => {
    await using fake = await startFakeUpstream({
      status,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'SomeException' },
      steps: [JSON.stringify(body)],
    });
    const error = await failureOf(upstream, createCall({ provider: { baseUrl: fake.url } }));
    assert.equal(error.code, code);
  });
}

const named = [
  [400, 'ServiceQuotaExceededException', {}, 'upstream_rate_limit', 'ServiceQuotaExceededException'],
  [
    429,
    'ModelNotReadyException:http://internal.amazon.com/coral/com.amazon.bedrock/',
    { message: 'The model is not ready.' },
    'provider_overloaded',
    'ModelNotReadyException',
  ],
  [424, 'ModelErrorException', { originalStatusCode: 429 }, 'upstream_rate_limit', 'ModelErrorException'],
  [400, 'ValidationException', { message: 'No.' }, 'upstream_invalid_request', 'ValidationException'],
] as const;

for (const [status, header, body, code, providerCode] of named) {
  test(`a ${status} named ${providerCode} by its header is ${code}`, async () => {
    await using fake = await startFakeUpstream({
      status,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': header },
      steps: [JSON.stringify(body)],
    });
    const error = await failureOf(upstream, createCall({ provider: { baseUrl: fake.url } }));
    assert.equal(error.code, code);
    assert.equal(error.metadata.provider_code, providerCode);
  });
}

test('the exception’s name is the provider’s code, and a body that is not JSON is ignored', () => {
  const { provider } = createCall().endpoint;
  const told = amazonBedrockAdapter.readFailure(429, '{"__type":"com.amazon#ThrottlingException"}', provider);
  assert.equal(told.providerCode, 'ThrottlingException');
  const nothing = { code: undefined, message: undefined, providerCode: undefined };
  assert.deepEqual(amazonBedrockAdapter.readFailure(502, '<html>', provider), nothing);
});
