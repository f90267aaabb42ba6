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

test('agents answer, call tools, stream, fill a form and go on from their reasoning', async () => {
  await using proxy = await startRecordingProxy(gateway.url);
  const { code, stdout, stderr } = await runPython('test/e2e/python/agents_sdk.py', {
    HEADGATE_BASE_URL: `${proxy.url}/api/v1`,
    HEADGATE_API_KEY: gateway.key,
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split('\n'), [
    'answer: [sandbox] one two',
    'tool: [sandbox] The tool answered: clear in sandbox',
    "streamed: [sandbox] The tool answered: clear in sandbox ['agent_updated_stream_event', 'raw_response_event', 'run_item_stream_event']",
    "person: name='sandbox' age=0",
    'second turn: [sandbox] three',
  ]);
  proxy.recorder.check();
});
