import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseStream } from '../support/read-stream.ts';
import { type GatewayProcess, startGateway } from './support/gateway-process.ts';
import { runHeadgate, runProgram, userEnvironment } from './support/programs.ts';

// The Python example is run by openai-python.test.ts, the configuration is served by real-model.test.ts.
const root = join(import.meta.dirname, '../..');
const examples = join(root, 'examples');

let gateway: GatewayProcess;

before(async () => {
  gateway = await startGateway();
});
after(() => gateway[Symbol.asyncDispose]());

function runExample(command: string, file: string) {
  const env = userEnvironment({ HEADGATE_URL: gateway.baseUrl, HEADGATE_API_KEY: gateway.key });
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

/** A block of README.md that asks the server of this test instead of the usual one. */
function blockOfReadme(language: string, mark: string): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const found = blocks.find(([, of, body = '']) => of === language && body.includes(mark))?.[2];
  assert.ok(found !== undefined, mark);
  return found.replaceAll('http://127.0.0.1:8484/api/v1', gateway.baseUrl);
}

test('README.md: the first request with curl, and with the openai package', async () => {
  const env = userEnvironment({ HEADGATE_API_KEY: gateway.key });
  const commands = blockOfReadme('bash', 'curl').replace('sk-hg-v1-…', gateway.key);
  const streamed = await runProgram('bash', ['-c', commands], { env, cwd: root });
  assert.equal(streamed.code, 0, streamed.stderr);
  parseStream(streamed.stdout);
  const code = blockOfReadme('ts', 'import OpenAI');
  const asked = await runProgram('node', ['--input-type=module', '--eval', code], { env, cwd: root });
  assert.deepEqual([asked.stdout, asked.code], ['[sandbox] Hello\n', 0], asked.stderr);
});

test('headgate.yaml: passes the check without a warning', async () => {
  const { code, stdout, stderr } = await runHeadgate(examples, ['check', '--json']);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  assert.equal(JSON.parse(stdout).valid, true);
});
