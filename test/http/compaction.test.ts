import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';

let stage: Stage & { readonly strike: () => Promise<void> };
const model = 'acme/atlas-4';
const usage = { input: 40, output: 10 };

before(async () => {
  const dialect = dialects.find(({ adapter }) => adapter === 'anthropic-messages');
  assert.ok(dialect);
  stage = await setStage(dialect);
});
after(() => stage.strike());

async function post(path: string, body: object, key = stage.gateway.key) {
  const response = await fetch(`${stage.gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

const conversation = [
  { role: 'user', content: 'My harbour is Brest.' },
  { type: 'function_call', call_id: 'call_1', name: 'tide', arguments: '{"port":"Brest"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Five metres.' },
  { role: 'assistant', content: 'The tide is five metres high.' },
];

function say(...text: string[]): void {
  stage.say({ utterances: text.length === 0 ? [] : [{ say: text }], finish: 'stop', usage });
}

async function compact(): Promise<{ output: Record<string, unknown>[]; usage: { cost: number } }> {
  say('The user asked ', 'about Brest: five metres.');
  const { status, body } = await post('/responses/compact', {
    model,
    input: conversation,
    instructions: 'Be brief.',
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.object, 'response.compaction');
  return body;
}

test('a conversation becomes the words of its user and a sealed summary, by one charged call', async () => {
  const { output, usage: used } = await compact();
  assert.deepEqual(
    output.map(({ type, role }) => [type, role]),
    [
      ['message', 'user'],
      ['compaction', undefined],
    ],
  );
  assert.deepEqual(output[0]?.content, [{ type: 'input_text', text: 'My harbour is Brest.' }]);
  assert.ok(used.cost > 0);
  const asked = JSON.stringify(stage.lastSeen);
  for (const text of ['My harbour is Brest.', 'assistant calls tide', 'Five metres.', 'Be brief.']) {
    assert.ok(asked.includes(text), text);
  }
  assert.doesNotMatch(String(output[1]?.encrypted_content), /Brest/);
});

test('the next request goes on from the summary, on every model', async () => {
  const { output } = await compact();
  say('Five metres.');
  const { status, body } = await post('/responses', {
    model,
    input: [...output, { role: 'user', content: 'How high was it?' }],
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(JSON.stringify(stage.lastSeen), /The user asked about Brest: five metres\./);
});

test('a summary that was altered, or made for another account, is an error that names its item', async () => {
  const { output } = await compact();
  const [message, summary] = output;
  const altered = { ...summary, encrypted_content: `${String(summary?.encrypted_content).slice(0, -4)}AAAA` };
  for (const path of ['/responses', '/responses/compact']) {
    const { status, body } = await post(path, { model, input: [message, altered] });
    assert.equal(status, 400);
    assert.match(body.error.message, /^input\[1\]\.encrypted_content: cannot be opened/);
  }
  const { storage, createKey } = stage.gateway;
  const other = newAccount('Other', 'invoice', Date.now());
  await storage.accounts.create(other);
  const key = await createKey({ accountId: other.id, workspaceId: other.defaultWorkspaceId });
  const { status, body } = await post('/responses', { model, input: [summary] }, key);
  assert.equal(status, 400);
  assert.match(body.error.message, /made for another account/);
});

test("another maker's compaction is refused where no endpoint can read it", async () => {
  const { status, body } = await post('/responses', {
    model,
    input: [
      { type: 'compaction', encrypted_content: 'gAAAAAfromElsewhere' },
      { role: 'user', content: 'Hi' },
    ],
  });
  assert.equal(status, 400, JSON.stringify(body));
  assert.match(body.error.message, /only the maker of a compaction can read it/);
});

test('what cannot be meant is refused', async () => {
  const cases: [object, RegExp][] = [
    [{ input: 'Hi' }, /^model: is required/],
    [{ model }, /^input: is required/],
    [{ model, input: 'Hi', stream: true }, /^stream: must be false/],
    [{ model, input: 'Hi', previous_response_id: 'resp_1' }, /^previous_response_id: must be null/],
  ];
  for (const [body, expected] of cases) {
    const answer = await post('/responses/compact', body);
    assert.equal(answer.status, 400);
    assert.match(answer.body.error.message, expected);
  }
});

test('a model that writes nothing is an error, so that nobody throws the conversation away', async () => {
  say();
  const { status, body } = await post('/responses/compact', { model, input: conversation });
  assert.equal(status, 502, JSON.stringify(body));
  assert.match(body.error.message, /no summary/);
});

test('a message without content is no reason to fail', async () => {
  say('Nothing was said.');
  const input = [...conversation, { role: 'user' }];
  const { status, body } = await post('/responses/compact', { model, input });
  assert.equal(status, 200, JSON.stringify(body));
});
