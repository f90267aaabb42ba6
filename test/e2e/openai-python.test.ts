import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GatewayProcess, startGateway } from './support/gateway-process.ts';
import { runPython } from './support/python.ts';
import { startRecordingProxy } from './support/recording-proxy.ts';

let gateway: GatewayProcess;

before(async () => {
  gateway = await startGateway();
});
after(() => gateway[Symbol.asyncDispose]());

test('the example holds its conversation: answer, stream, tool, structured output', async () => {
  await using proxy = await startRecordingProxy(gateway.url);
  const { code, stdout, stderr } = await runPython('examples/python/conversation.py', {
    HEADGATE_URL: `${proxy.url}/api/v1`,
    HEADGATE_API_KEY: gateway.key,
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split('\n'), [
    'answer: [sandbox] Good day',
    'stream: [sandbox] One word at a time',
    'tokens: 11',
    'call: get_weather {"city":"sandbox"}',
    'told: [sandbox] The tool answered: 12 degrees and rain',
    "person: name='sandbox' age=0",
  ]);
  assert.equal(proxy.recorder.check().length, 5);
});

test('failures are the exceptions a user of the library expects, and a stream can be left', async () => {
  await using proxy = await startRecordingProxy(gateway.url);
  const { code, stdout, stderr } = await runPython('test/e2e/python/failures.py', {
    HEADGATE_BASE_URL: `${proxy.url}/api/v1`,
    HEADGATE_API_KEY: gateway.key,
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split('\n'), [
    'AuthenticationError 401',
    'BadRequestError 400',
    'RateLimitError 429',
    'InternalServerError 502',
    'after 2 words: The connection to Sandbox broke.',
    'failed: server_error, kept: [sandbox] disconnect-after-2 ',
    'left after 5 words, then: completed',
    'async: [sandbox] Grüße 漢字 👩‍🚀',
  ]);
  proxy.recorder.check();
});
