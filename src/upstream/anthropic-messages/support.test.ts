import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import type { Provider } from '../../core/catalogue.ts';
import { anthropicMessagesAdapter, vertexMessagesAdapter } from './anthropic-messages-adapter.ts';

function providerWith(quirks: Provider['quirks']): Provider {
  return createCall({ provider: { quirks } }).endpoint.provider;
}

test('the maker runs its tools, look-alikes only those they state', () => {
  const own = anthropicMessagesAdapter.support(providerWith({}));
  assert.notEqual(own['tool.web_search'], 'refused');
  assert.notEqual(own['tool.mcp'], 'refused');
  const alike = anthropicMessagesAdapter.support(
    providerWith({ hostedTools: [], structuredOutput: 'forced-tool' }),
  );
  assert.equal(alike['tool.web_search'], 'refused');
  assert.equal(alike['tool.mcp'], 'refused');
  assert.deepEqual(alike['text.json_schema'], { emulated: 'forced-tool' });
});

test('models before Claude 4.5 are forced to call instead of getting a schema', () => {
  const schema = (model?: string) =>
    anthropicMessagesAdapter.support(providerWith({}), model)['text.json_schema'];
  assert.equal(schema(), 'native');
  assert.equal(schema('claude-haiku-4-5'), 'native');
  assert.deepEqual(schema('claude-3-7-sonnet-latest'), { emulated: 'forced-tool' });
});

test('Vertex takes neither addresses nor file ids', () => {
  const support = vertexMessagesAdapter.support(providerWith({}));
  assert.equal(support['input.file.url'], 'refused');
  assert.equal(support['input.image.file'], 'refused');
  assert.equal(support['input.image.data'], 'native');
  assert.equal(support['tool.code_interpreter'], 'refused');
});

test('a request for Vertex has its model in the path and its version in the body, and no credential', () => {
  const call = createCall({
    endpoint: { upstreamModel: 'claude-opus-4-6@20260205' },
    request: { cacheControl: { ttl: '5m' } },
  });
  const wire = vertexMessagesAdapter.encode(call);
  assert.equal(wire.path, '/publishers/anthropic/models/claude-opus-4-6%4020260205:streamRawPredict');
  assert.deepEqual(wire.headers, {});
  assert.equal(wire.body.model, undefined);
  assert.equal(wire.body.anthropic_version, 'vertex-2023-10-16');
  assert.equal(wire.body.cache_control, undefined);
  assert.match(JSON.stringify(wire.body.messages), /"cache_control":\{"type":"ephemeral","ttl":"5m"\}/);
  assert.match(vertexMessagesAdapter.encode({ ...call, streamed: false }).path, /:rawPredict$/);
});
