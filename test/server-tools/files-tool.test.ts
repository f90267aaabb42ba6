import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import type { Script } from '../fake-upstream/fake-upstream.ts';
import { configOf } from '../support/gateway.ts';
import { calls, type Read, sent, startToolWorld, type ToolWorld } from './tool-world.ts';

const answer: Script = { steps: chatStream('Done.') };
const tools = [{ type: 'service:files' }];
const world = (...inputs: readonly object[]) =>
  startToolWorld({ 'acme/atlas-4': [...inputs.map((input) => calls(['service_files', input])), answer] });

const itemsOf = (body: Read) => body.output.filter(({ type }: Read) => type === 'service:files');
/** What the model read of its calls, in order. */
const resultsOf = (files: ToolWorld, count: number): Read[] =>
  sent(files.upstream('acme/atlas-4'), count)
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content));

test('a model writes, finds, reads and edits files of the workspace', async () => {
  await using files = await world(
    { operation: 'write', filename: 'notes.md', content: 'one two' },
    { operation: 'list', filename_filter: 'NOTES' },
    { operation: 'edit', filename: 'notes.md', old_string: 'two', new_string: 'three' },
    { operation: 'read', filename: 'notes.md' },
  );
  const body = await files.ask({ tools });
  const [written, listed, edited, read] = resultsOf(files, 4);
  assert.match(written.result.file_id, /^file_hg_/);
  assert.deepEqual(
    listed.result.files.map(({ file_id }: Read) => file_id),
    [written.result.file_id],
  );
  assert.equal(edited.result.source_file_id, written.result.file_id);
  assert.notEqual(edited.result.file_id, written.result.file_id, 'an edit makes a copy');
  assert.equal(read.result.content, 'one three', 'the newest of a name');
  const [item] = itemsOf(body);
  assert.deepEqual(
    [item.operation, item.filename, item.file_id, item.call_id, JSON.parse(item.result).size_bytes],
    ['write', 'notes.md', written.result.file_id, 'call_0', 7],
  );
  assert.equal(JSON.parse(item.arguments).content, 'one two');
  const kept = await files.gateway.get(`/api/v1/files/${written.result.file_id}/content`);
  assert.equal(await kept.text(), 'one two', 'the source is untouched');
});

const failing: readonly (readonly [string, object, RegExp])[] = [
  [
    'a text that occurs twice',
    { operation: 'edit', filename: 'a.txt', old_string: 'a', new_string: 'b' },
    /more than once/,
  ],
  [
    'a text that does not occur',
    { operation: 'edit', filename: 'a.txt', old_string: 'z', new_string: 'b' },
    /does not occur/,
  ],
  [
    'texts that overlap',
    { operation: 'edit', filename: 'a.txt', old_string: 'aa', new_string: 'b' },
    /more than once/,
  ],
  ['a file that is not there', { operation: 'read', filename: 'b.txt' }, /no file "b.txt"/],
  ['a file of nobody', { operation: 'read', file_id: 'file_hg_x' }, /no file/],
  ['a name that leads elsewhere', { operation: 'write', filename: '../b', content: '' }, /filename/],
  ['a file without text', { operation: 'write', filename: 'b' }, /content: is required/],
  [
    'a text that is too long',
    { operation: 'write', filename: 'b', content: 'x'.repeat(1024 * 1024 + 1) },
    /1048577/,
  ],
  ['another operation', { operation: 'delete', filename: 'a.txt' }, /operation/],
];
for (const [what, input, expected] of failing) {
  test(`${what} is an error that the model reads`, async () => {
    await using files = await world({ operation: 'write', filename: 'a.txt', content: 'aaa' }, input);
    const body = await files.ask({ tools });
    assert.match(resultsOf(files, 2)[1].error, expected);
    const [, item] = itemsOf(body);
    assert.deepEqual([body.status, item.status], ['completed', 'completed']);
    assert.match(item.error, expected);
  });
}

test('a long text is cut, and what is no text is an error', async () => {
  await using files = await world(
    { operation: 'write', filename: 'long.txt', content: 'x'.repeat(200_001) },
    { operation: 'read', filename: 'long.txt' },
    { operation: 'read', filename: 'bytes.bin' },
  );
  const { account, key } = files.gateway;
  assert.ok(account);
  const form = new FormData();
  form.append('file', new File([new Uint8Array([0, 255, 254])], 'bytes.bin'));
  const headers = { authorization: `Bearer ${key}` };
  await fetch(`${files.gateway.url}/api/v1/files`, { method: 'POST', body: form, headers });
  await files.ask({ tools });
  const [, long, bytes] = resultsOf(files, 3);
  assert.deepEqual([long.result.content.length, long.result.truncated], [200_000, true]);
  assert.match(bytes.error, /not a text file/);
});

test('a replayed item is the call as the model wrote it, and nothing runs again', async () => {
  await using files = await startToolWorld({ 'acme/atlas-4': [answer] });
  const written = '{"operation": "list"}';
  const item = {
    type: 'service:files',
    id: 'fl_1',
    status: 'completed',
    operation: 'list',
    result: '{"files":[]}',
    call_id: 'call_9',
    arguments: written,
  };
  await files.ask({
    tools,
    input: [{ role: 'user', content: 'Which?' }, item, { role: 'user', content: 'And now?' }],
  });
  const [, call, result] = sent(files.upstream('acme/atlas-4'), 0).messages as Read[];
  assert.deepEqual([call.tool_calls[0].id, call.tool_calls[0].function.arguments], ['call_9', written]);
  assert.match(result.content, /files/);
});

test('where files are off the tool is refused', async () => {
  const { tools: usual } = configOf({ models: [] });
  const config = { tools: { ...usual, files: { enabled: false } } };
  await using files = await startToolWorld({ 'acme/atlas-4': [answer] }, { config });
  assert.equal((await files.ask({ tools })).httpStatus, 400);
  assert.equal((await files.gateway.get('/api/v1/files')).status, 404);
});
