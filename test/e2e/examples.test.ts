import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseStream } from '../support/read-stream.ts';
import { type GatewayProcess, startGateway } from './support/gateway-process.ts';
import { runHeadgate, runProgram, userEnvironment } from './support/programs.ts';

// The Python example is run by openai-python.test.ts, the configuration is served by real-model.test.ts.
const examples = join(import.meta.dirname, '../../examples');

let gateway: GatewayProcess;

before(async () => {
  gateway = await startGateway();
});
after(() => gateway[Symbol.asyncDispose]());

function runExample(command: string, file: string) {
  const env = userEnvironment({ HEADGATE_BASE_URL: gateway.baseUrl, HEADGATE_API_KEY: gateway.key });
  return runProgram(command, [join(examples, file)], { env });
}

test('first-request.sh: an answer, then a stream', async () => {
  const { code, stdout, stderr } = await runExample('bash', 'first-request.sh');
  assert.equal(code, 0, stderr);
  const end = stdout.indexOf('\n');
  assert.match(stdout.slice(0, end), /^\{.*"text":"\[sandbox\] Hello".*\}$/);
  parseStream(stdout.slice(end + 1));
});

test('openai-client.ts: answer, stream, tool, JSON by a schema', async () => {
  const { code, stdout, stderr } = await runExample('node', 'openai-client.ts');
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split('\n'), [
    'answer: [sandbox] Good day',
    'stream: [sandbox] One word at a time',
    'tokens: 11',
    'call: get_weather {"city":"sandbox"}',
    'told: [sandbox] The tool answered: 12 degrees and rain',
    "person: { name: 'sandbox', age: 0 }",
  ]);
});

test('headgate.yaml: passes the check without a warning', async () => {
  const { code, stdout, stderr } = await runHeadgate(examples, ['check', '--json']);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  assert.equal(JSON.parse(stdout).valid, true);
});
