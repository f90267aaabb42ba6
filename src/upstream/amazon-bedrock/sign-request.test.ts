import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { binaryEvent } from '../../../test/support/binary-message.ts';
import { Secret } from '../../util/secret.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { amazonBedrockAdapter } from './amazon-bedrock-adapter.ts';

const transport = createTransport();
const upstream = createHttpUpstream(amazonBedrockAdapter, transport);
after(() => transport.destroy());

const accessKey = {
  accessKeyId: 'AKIDEXAMPLE123456789',
  secretAccessKey: 'wJalrXUtnFEMI+K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'eu-central-1',
};

interface Received {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

/** A service that answers "hi" and keeps the last request with its exact bytes. */
async function startService() {
  const seen: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ request, body: Buffer.concat(chunks) });
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    response.write(binaryEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Grüße' } }));
    response.write(binaryEvent('messageStop', { stopReason: 'end_turn' }));
    response.end(binaryEvent('metadata', { usage: { inputTokens: 1, outputTokens: 1 } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Every octet but the unreserved ones, as the algorithm wants the path segments a second time. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The authorization the documented algorithm gives for a request as it arrived. */
function expectedAuthorization({ request, body }: Received, key: typeof accessKey): string {
  const { headers, method = '', url = '' } = request;
  const [path = '', query = ''] = url.split('?');
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const canonical = [
    method,
    path.split('/').map(encodeSegment).join('/'),
    query.split('&').sort().join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    signed,
    sha256(body),
  ].join('\n');
  const time = String(headers['x-amz-date']);
  const scope = `${time.slice(0, 8)}/${key.region}/bedrock/aws4_request`;
  const derived = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${key.secretAccessKey}`);
  const signature = hmac(Buffer.from(derived), `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`);
  return (
    `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, ` +
    `SignedHeaders=${signed}, Signature=${signature.toString('hex')}`
  );
}

function callTo(baseUrl: string, credential: object | string, changes: CallChanges = {}) {
  const apiKey = new Secret(typeof credential === 'string' ? credential : JSON.stringify(credential));
  return createCall({ ...changes, provider: { baseUrl, apiKey, ...changes.provider } });
}

const models = [
  'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc123',
];

for (const upstreamModel of models) {
  test(`the exact bytes sent are signed, for ${upstreamModel}`, async () => {
    await using service = await startService();
    const instructions = 'Grüße 漢字 😀';
    const changes: CallChanges = { endpoint: { upstreamModel }, request: { instructions } };
    const { deltas, thrown } = await listen(upstream, callTo(service.url, accessKey, changes));
    assert.equal(thrown, undefined);
    assert.equal(textOf(deltas), 'Grüße');
    const [received] = service.seen;
    assert.ok(received);
    assert.equal(received.request.url, `/model/${encodeURIComponent(upstreamModel)}/converse-stream`);
    assert.equal(received.request.headers.authorization, expectedAuthorization(received, accessKey));
    assert.match(received.request.headers.authorization ?? '', /SignedHeaders=[^,]*host[^,]*x-amz-date/);
    assert.ok(!JSON.stringify(received.request.headers).includes(accessKey.secretAccessKey));
  });
}

test('a temporary key sends its token under the signature', async () => {
  await using service = await startService();
  const temporary = { ...accessKey, sessionToken: 'session-token-of-an-hour' };
  await listen(
    upstream,
    callTo(`${service.url}/proxy?stage=a`, temporary, { provider: { headers: { 'X-Team': 'a  b' } } }),
  );
  const [received] = service.seen;
  assert.ok(received);
  assert.equal(received.request.headers['x-amz-security-token'], temporary.sessionToken);
  assert.match(received.request.headers.authorization ?? '', /x-amz-security-token/);
  assert.match(received.request.headers.authorization ?? '', /x-team/);
  assert.equal(received.request.headers.authorization, expectedAuthorization(received, temporary));
});

test('an API key is sent as it is', async () => {
  await using service = await startService();
  await listen(upstream, callTo(service.url, 'bedrock-api-key-abcdef'));
  assert.equal(service.seen[0]?.request.headers.authorization, 'Bearer bedrock-api-key-abcdef');
  assert.equal(service.seen[0]?.request.headers['x-amz-date'], undefined);
});

test('a credential of another shape fails before anything is sent', async () => {
  await using service = await startService();
  for (const credential of ['{"accessKeyId":"AKID"}', '{broken']) {
    assert.equal((await failureOf(upstream, callTo(service.url, credential))).code, 'upstream_credential');
  }
  assert.equal(service.seen.length, 0);
});

test('the region gives the address: the credential names it, or else the quirks', () => {
  const baseUrlOf = (provider: object, credential: object | string) =>
    amazonBedrockAdapter.encode(callTo('', credential, { provider: { baseUrl: undefined, ...provider } }))
      .baseUrl;
  const address = (region: string) => `https://bedrock-runtime.${region}.amazonaws.com`;
  const { region, ...placeless } = accessKey;
  assert.equal(baseUrlOf({}, accessKey), address(region));
  assert.equal(baseUrlOf({ quirks: { region: 'us-west-2' } }, accessKey), address(region));
  assert.equal(baseUrlOf({ quirks: { region: 'us-west-2' } }, placeless), address('us-west-2'));
  assert.equal(baseUrlOf({ quirks: { region: 'cn-north-1' } }, 'a-key'), `${address('cn-north-1')}.cn`);
  assert.equal(baseUrlOf({}, 'a-key'), address('us-east-1'));
  assert.equal(baseUrlOf({ baseUrl: address('us-west-2') }, accessKey), address(region));
  assert.equal(baseUrlOf({ baseUrl: address('us-west-2') }, placeless), undefined, "the provider's own");
  assert.equal(baseUrlOf({ baseUrl: 'https://vpce.example' }, accessKey), undefined, "the provider's own");
});

test('a region that would lead to another host is refused', () => {
  for (const region of ['evil.test/', 'us-east-1.evil.test', '@evil.test', 'US-EAST-1']) {
    assert.throws(
      () => amazonBedrockAdapter.encode(callTo('', { ...accessKey, region })),
      (thrown: Error & { code?: string }) => thrown.code === 'upstream_credential',
      region,
    );
  }
});

test('a signature names the region of the address it goes to', async () => {
  const headers = await amazonBedrockAdapter.authorize?.(
    {
      url: new URL('https://bedrock-runtime.us-west-2.amazonaws.com/model/m/converse'),
      headers: {},
      body: '{}',
    },
    callTo('', accessKey),
  );
  assert.match(headers?.authorization ?? '', /\/us-west-2\/bedrock\/aws4_request/);
});
