import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { runProgram, userEnvironment } from '../test/e2e/support/programs.ts';
import { useGateway } from './support/gateway.js';

const root = join(import.meta.dirname, '..');
const gateway = useGateway();
const home = mkdtempSync(join(tmpdir(), 'python-clients-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** The interpreter of the pinned packages; several do not work with the newest `openai`. */
const interpreterOf = (...which) =>
  execFileSync(join(root, 'scripts/e2e-python.sh'), which, { encoding: 'utf8' }).trim();

const scripts = [
  {
    name: 'openai_chat',
    lines: [
      'text: [sandbox] Grüße 漢字 True',
      'stream: [sandbox] one two True True',
      'parsed: Person',
      'call: tool_calls weather',
      'told: [sandbox] The tool answered: clear',
      'vectors: 2 True',
      'broken: APIError',
      'refused: 400',
      'async: [sandbox] later',
    ],
  },
  {
    name: 'anthropic_messages',
    lines: [
      'text: [sandbox] Grüße 漢字 True',
      "stream: [sandbox] one two ['thinking', 'text']",
      'second turn: [sandbox] three',
      'counted: True',
      'tool runner: [sandbox] The tool answered: sandbox: clear',
      'models: True',
      'broken: APIStatusError',
      'refused: 400',
    ],
  },
  {
    name: 'langchain_chat',
    lines: [
      'text: [sandbox] one two True',
      'stream: [sandbox] one two True',
      'told: [sandbox] The tool answered: sandbox: clear',
      'object: Person',
      'second turn: [sandbox] three',
      'vectors: 2',
    ],
  },
  {
    name: 'pydantic_agent',
    lines: ['chat', 'messages'].flatMap((dialect) => [
      `${dialect} text: [sandbox] one two True`,
      `${dialect} tool: [sandbox] The tool answered: sandbox: clear`,
      `${dialect} object: Person`,
      `${dialect} second turn: [sandbox] three`,
      `${dialect} stream: [sandbox] one two`,
    ]),
  },
  {
    name: 'instructor_objects',
    venv: ['older'],
    lines: ['tools: Person', 'json schema: Person', 'usage: True'],
  },
  {
    name: 'litellm_client',
    venv: ['older'],
    lines: [
      'text: [sandbox] one two True',
      'stream: [sandbox] one two',
      'told: tool_calls [sandbox] The tool answered: clear',
      'told: tool_calls [sandbox] The tool answered: clear',
      'thoughts: True',
      'messages: [sandbox] one two',
      'vectors: 2',
      'refused: 400',
    ],
  },
];

for (const { name, lines, venv = [] } of scripts) {
  test(name, async () => {
    const { code, stdout, stderr } = await run(interpreterOf(...venv), [`clients/python/${name}.py`]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.trim().split('\n'), lines);
  });
}

test('llm on the command line: text, a stream, a tool and a second turn', async () => {
  const llm = join(dirname(interpreterOf()), 'llm');
  const known = ['echo', 'tools'].map((name) => ({
    model_id: name,
    model_name: `sandbox/${name}`,
    api_base: gateway.baseURL,
    api_key_name: 'headgate',
    supports_tools: true,
  }));
  writeFileSync(join(home, 'extra-openai-models.yaml'), JSON.stringify(known));
  writeFileSync(join(home, 'keys.json'), JSON.stringify({ headgate: gateway.apiKey }));
  const ask = async (...args) => {
    const { code, stdout, stderr } = await run(llm, args);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  assert.equal(await ask('-m', 'echo', '--no-stream', 'one two'), '[sandbox] one two');
  assert.equal(await ask('-m', 'echo', 'three'), '[sandbox] three');
  assert.equal(await ask('-c', 'four'), '[sandbox] four');
  const weather = 'def weather(city: str) -> str:\n    "The weather"\n    return city + ": clear"';
  const told = await ask('-m', 'tools', '--functions', weather, 'The weather in Brest?');
  assert.match(told, /The tool answered: sandbox: clear/);
});

function run(command, args) {
  const env = userEnvironment({
    HOME: home,
    LLM_USER_PATH: home,
    HEADGATE_URL: gateway.baseURL,
    HEADGATE_API_KEY: gateway.apiKey,
  });
  return runProgram(command, args, { cwd: root, env });
}
