import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assemble, settings } from '../../../../test/support/assemble.ts';
import { checkEvent } from '../../../../test/support/read-stream.ts';
import type { Delta, FinishReason } from '../../../core/delta.ts';

const finish = (reason: FinishReason): Delta => ({ kind: 'finish', reason });

/** What an answer of one hosted item says: its events without prefix, the item as announced and in the end. */
function tell(deltas: readonly Delta[], chosen = settings, end: readonly Delta[] = [finish('stop')]) {
  const { events, output } = assemble([...deltas, ...end], chosen);
  for (const event of events) if (!('response' in event)) checkEvent(event);
  const types = events.slice(3, -1).map((event) => event.type.replace('response.', ''));
  const added = events.find((event) => event.type === 'response.output_item.added')?.item;
  return {
    types: types.filter((type) => !type.startsWith('output_item')),
    events,
    added,
    item: output[0],
    output,
  };
}

const place = { block: 0 };
const end: Delta = { kind: 'end', ...place };

test('a web search: progress nobody told is told in the end, and a search has its query', () => {
  const { types, item } = tell([
    { kind: 'hosted', ...place, type: 'web_search_call', id: 'ws_7' },
    { kind: 'result', ...place, fields: { action: { type: 'search', queries: ['tides'], sources: [] } } },
    end,
  ]);
  assert.deepEqual(types, [
    'web_search_call.in_progress',
    'web_search_call.searching',
    'web_search_call.completed',
  ]);
  assert.deepEqual(item, {
    type: 'web_search_call',
    id: 'ws_7',
    status: 'completed',
    action: { type: 'search', query: 'tides', queries: ['tides'], sources: [] },
  });
});

test('a search that failed is not told as completed', () => {
  const { types, item } = tell([
    { kind: 'hosted', ...place, type: 'web_search_call' },
    { kind: 'stage', ...place, stage: 'searching' },
    { kind: 'result', ...place, fields: {}, failed: true },
    end,
  ]);
  assert.deepEqual(types, ['web_search_call.in_progress', 'web_search_call.searching']);
  assert.equal(item?.status, 'failed');
});

test('results of a file search and outputs of code are for those who asked', () => {
  const deltas: Delta[] = [
    { kind: 'hosted', ...place, type: 'file_search_call', id: 'fs_1' },
    { kind: 'result', ...place, fields: { queries: ['q'], results: [{ file_id: 'f' }] } },
    end,
    { kind: 'hosted', block: 1, type: 'code_interpreter_call', id: 'ci_1', fields: { container_id: 'c' } },
    { kind: 'result', block: 1, fields: { code: '1', outputs: [{ type: 'logs', logs: '1' }] } },
    { kind: 'end', block: 1 },
  ];
  const shown = tell(deltas).output;
  assert.deepEqual(shown, [
    {
      type: 'file_search_call',
      id: 'fs_1',
      status: 'completed',
      queries: ['q'],
      results: [{ file_id: 'f' }],
    },
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      status: 'completed',
      container_id: 'c',
      code: '1',
      outputs: [{ type: 'logs', logs: '1' }],
    },
  ]);
  const [search, code] = tell(deltas, { ...settings, include: new Set() }).output;
  assert.ok(search !== undefined && !('results' in search));
  assert.ok(code?.type === 'code_interpreter_call' && code.outputs === null);
});

test('code: written piece by piece, run once it is whole', () => {
  const { types, added, item } = tell([
    { kind: 'hosted', ...place, type: 'code_interpreter_call', fields: { container_id: 'cntr_1' } },
    { kind: 'fragment', ...place, text: 'print(' },
    { kind: 'fragment', ...place, text: '1)' },
    { kind: 'stage', ...place, stage: 'interpreting' },
    { kind: 'result', ...place, fields: { code: 'print(1)' } },
    end,
  ]);
  assert.deepEqual(types, [
    'code_interpreter_call.in_progress',
    'code_interpreter_call_code.delta',
    'code_interpreter_call_code.delta',
    'code_interpreter_call_code.done',
    'code_interpreter_call.interpreting',
    'code_interpreter_call.completed',
  ]);
  assert.ok(item?.type === 'code_interpreter_call' && item.code === 'print(1)');
  assert.deepEqual(added, { ...item, status: 'in_progress', code: '' });
});

test('a picture: null until it is done, text in the end, also when it failed', () => {
  const picture: Delta = { kind: 'hosted', ...place, type: 'image_generation_call', id: 'ig_1' };
  const { types, added, item } = tell([
    picture,
    { kind: 'partial_image', ...place, index: 0, image: 'AA' },
    { kind: 'result', ...place, fields: { result: 'AAAA', revised_prompt: 'a tide' } },
  ]);
  assert.deepEqual(types, [
    'image_generation_call.in_progress',
    'image_generation_call.generating',
    'image_generation_call.partial_image',
    'image_generation_call.completed',
  ]);
  const base = { type: 'image_generation_call', id: 'ig_1' };
  assert.deepEqual(added, { ...base, status: 'in_progress', result: null });
  assert.deepEqual(item, { ...base, status: 'completed', result: 'AAAA', revised_prompt: 'a tide' });
  const failed = tell([picture, { kind: 'result', ...place, fields: {}, failed: true }, end]);
  assert.deepEqual(failed.item, { ...base, status: 'failed', result: '' });
});

test('a patch: its diff in pieces, or in one; a deletion has none', () => {
  const patch = (operation: object): Delta => ({
    kind: 'hosted',
    ...place,
    type: 'apply_patch_call',
    fields: { call_id: 'call_1', operation },
  });
  const update = { type: 'update_file', path: 'a.txt', diff: '' };
  const pieces = tell([
    patch(update),
    { kind: 'fragment', ...place, text: '-a\n' },
    { kind: 'fragment', ...place, text: '+b' },
    end,
  ]);
  assert.deepEqual(pieces.types, [
    'apply_patch_call_operation_diff.delta',
    'apply_patch_call_operation_diff.delta',
    'apply_patch_call_operation_diff.done',
  ]);
  assert.ok(pieces.item?.type === 'apply_patch_call');
  assert.deepEqual(pieces.item.operation, { ...update, diff: '-a\n+b' });
  const whole = tell([patch({ ...update, diff: '+c' }), end]);
  assert.ok(whole.item?.type === 'apply_patch_call' && whole.item.operation.diff === '+c');
  assert.deepEqual(whole.types.length, 2);
  const deletion = tell([patch({ type: 'delete_file', path: 'a.txt' }), end]);
  assert.deepEqual(deletion.types, []);
  assert.ok(deletion.item?.type === 'apply_patch_call' && !('diff' in deletion.item.operation));
});

test('shell: both numbers, and the older local shell in the same form', () => {
  const { types, output } = tell([
    {
      kind: 'hosted',
      ...place,
      type: 'shell_call',
      id: 'sh_1',
      fields: { call_id: 'call_1', action: { commands: ['ls'] }, environment: null },
    },
    end,
    {
      kind: 'hosted',
      block: 1,
      type: 'local_shell_call',
      id: 'lsh_1',
      fields: {
        call_id: 'call_2',
        action: { type: 'exec', command: ['grep', "it's", 'a b'], env: {}, timeout_ms: 5 },
      },
    },
    { kind: 'end', block: 1 },
    {
      kind: 'hosted',
      block: 2,
      type: 'shell_call_output',
      id: 'sho_1',
      fields: { call_id: 'call_1', output: [{ stdout: 'a', stderr: '', outcome: { type: 'timeout' } }] },
    },
    { kind: 'end', block: 2 },
  ]);
  assert.deepEqual(types, []);
  const [shell, local, answer] = output;
  assert.deepEqual(shell, {
    type: 'shell_call',
    id: 'sh_1',
    status: 'completed',
    call_id: 'call_1',
    action: { commands: ['ls'], timeout_ms: null, max_output_length: null },
  });
  assert.ok(local?.type === 'shell_call');
  assert.deepEqual(local.action, {
    commands: ["grep 'it'\\''s' 'a b'"],
    timeout_ms: 5,
    max_output_length: null,
  });
  assert.deepEqual(JSON.parse(local.arguments ?? ''), {
    type: 'exec',
    command: ['grep', "it's", 'a b'],
    env: {},
    timeout_ms: 5,
  });
  assert.ok(answer?.type === 'shell_call_output' && answer.output.length === 1);
});

test('MCP: tools without null descriptions, arguments in pieces, failures told', () => {
  const { types, output } = tell([
    { kind: 'hosted', ...place, type: 'mcp_list_tools', fields: { server_label: 's' } },
    { kind: 'result', ...place, fields: { tools: [{ name: 't', input_schema: {}, description: null }] } },
    end,
    { kind: 'hosted', block: 1, type: 'mcp_call', id: 'mcp_1', fields: { server_label: 's', name: 't' } },
    { kind: 'fragment', block: 1, text: '{"a":' },
    { kind: 'result', block: 1, fields: { arguments: '{"a":1}', error: 'no' }, failed: true },
    { kind: 'end', block: 1 },
    {
      kind: 'hosted',
      block: 2,
      type: 'mcp_approval_request',
      id: 'mcpr_1',
      fields: { server_label: 's', name: 't', arguments: '{}' },
    },
    { kind: 'end', block: 2 },
  ]);
  assert.deepEqual(types, [
    'mcp_list_tools.in_progress',
    'mcp_list_tools.completed',
    'mcp_call.in_progress',
    'mcp_call_arguments.delta',
    'mcp_call_arguments.delta',
    'mcp_call_arguments.done',
    'mcp_call.failed',
  ]);
  assert.ok(output[0]?.type === 'mcp_list_tools');
  assert.deepEqual(output[0].tools, [{ name: 't', input_schema: {} }]);
  assert.deepEqual(output.slice(1), [
    {
      type: 'mcp_call',
      id: 'mcp_1',
      status: 'failed',
      server_label: 's',
      name: 't',
      arguments: '{"a":1}',
      error: 'no',
    },
    { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 's', name: 't', arguments: '{}' },
  ]);
});

test('a computer call has safety checks with code and message', () => {
  const checks = [{ id: 'sc_1', code: null }];
  const { item } = tell([
    {
      kind: 'hosted',
      ...place,
      type: 'computer_call',
      fields: { call_id: 'c', action: { type: 'wait' }, pending_safety_checks: checks },
    },
  ]);
  assert.ok(item?.type === 'computer_call');
  assert.deepEqual(item.pending_safety_checks, [{ id: 'sc_1', code: '', message: '' }]);
});

test('members of other types than their own are as if they were missing', () => {
  const fields = { call_id: 7, result: false, outputs: {} };
  const [picture, code, call] = (
    ['image_generation_call', 'code_interpreter_call', 'computer_call'] as const
  ).map((type) => tell([{ kind: 'hosted', ...place, type, fields }]).item);
  assert.ok(picture?.type === 'image_generation_call' && picture.result === '');
  assert.ok(code?.type === 'code_interpreter_call' && code.outputs === null);
  assert.ok(call?.type === 'computer_call' && call.call_id.startsWith('call_'));
});

test('a search runs beside an open message and a half-written call; calls of a client wait', () => {
  const { events, output } = tell([
    { kind: 'text', block: 0, text: 'Let me ' },
    { kind: 'hosted', block: 1, type: 'web_search_call' },
    { kind: 'text', block: 0, text: 'see.' },
    { kind: 'call', block: 2, form: 'function', name: 'f', callId: 'call_1' },
    { kind: 'arguments', block: 2, text: '{"a":' },
    { kind: 'result', block: 1, fields: {} },
    { kind: 'end', block: 1 },
    { kind: 'hosted', block: 3, type: 'file_search_call' },
    { kind: 'hosted', block: 4, type: 'apply_patch_call', fields: { call_id: 'call_2' } },
    { kind: 'end', block: 3 },
    { kind: 'arguments', block: 2, text: '1}' },
  ]);
  assert.deepEqual(
    output.map((item) => item.type),
    ['message', 'web_search_call', 'function_call', 'file_search_call', 'apply_patch_call'],
  );
  const done = events.filter((event) => event.type === 'response.output_item.done');
  assert.deepEqual(
    done.map((event) => event.output_index),
    [0, 1, 3, 2, 4],
  );
});

test('an answer cut off: one item of the model is incomplete, tools without a result failed', () => {
  const { output } = tell(
    [
      { kind: 'hosted', block: 1, type: 'web_search_call' },
      { kind: 'hosted', block: 2, type: 'image_generation_call' },
      { kind: 'result', block: 2, fields: { result: 'AAAA' } },
      { kind: 'text', block: 3, text: 'So' },
    ],
    settings,
    [finish('length')],
  );
  assert.deepEqual(
    output.map((item) => item.status),
    ['failed', 'completed', 'incomplete'],
  );
});

test('an answer that broke off shows what was open', () => {
  const { output } = tell(
    [
      { kind: 'hosted', block: 1, type: 'mcp_call', fields: { name: 't', server_label: 's' } },
      { kind: 'fragment', block: 1, text: '{"a"' },
      { kind: 'hosted', block: 2, type: 'apply_patch_call', fields: { call_id: 'c' } },
      { kind: 'fragment', block: 2, text: '+a' },
    ],
    settings,
    [],
  );
  const [call, patch] = output;
  assert.ok(call?.type === 'mcp_call' && call.arguments === '{"a"' && call.status === 'failed');
  assert.ok(patch?.type === 'apply_patch_call' && patch.status === 'in_progress');
  assert.equal(patch.operation.diff, '+a');
});
