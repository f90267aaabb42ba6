import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolSamples } from '../../../../test/samples/request-kinds.ts';
import { parse, refusal } from '../../../../test/support/request-parsing.ts';

function toolsOf(...tools: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(parse({ tools }).canonical.tools));
}

test('a hosted tool keeps its settings, without what is null', () => {
  assert.deepEqual(
    toolsOf({
      type: 'web_search_preview',
      engine: null,
      filters: { allowed_domains: ['a'], blocked_domains: null },
      later: { a: 1 },
    }),
    [
      {
        kind: 'hosted',
        tool: 'web_search',
        type: 'web_search_preview',
        settings: { filters: { allowed_domains: ['a'] }, later: { a: 1 } },
      },
    ],
  );
});

test('a namespace holds functions and custom tools', () => {
  const member = {
    type: 'function',
    name: 'list',
    async: true,
    output_schema: { type: 'array' },
    allowed_callers: ['direct'],
  };
  const tools = [
    { type: 'namespace', name: 'crm', description: 'D', tools: [member, { type: 'custom', name: 'note' }] },
    { type: 'namespace', name: 'shop', description: 'D', tools: [{ type: 'function', name: 'list' }] },
    { type: 'function', name: 'list' },
  ];
  assert.deepEqual(toolsOf(...tools)[0], {
    kind: 'namespace',
    name: 'crm',
    description: 'D',
    tools: [
      {
        kind: 'function',
        name: 'list',
        leavesStrict: true,
        async: true,
        outputSchema: { type: 'array' },
        allowedCallers: ['direct'],
      },
      { kind: 'custom', name: 'note' },
    ],
  });
  const input = [
    { type: 'function_call', call_id: 'c', name: 'list', namespace: 'crm', arguments: '{}' },
    { role: 'user', content: 'x' },
  ];
  assert.equal(parse({ tools, input }).canonical.items.length, 2);
  assert.equal(refusal({ tools, input: [{ ...input[0], namespace: 'shop' }, input[1]] })[0], 422);
});

test('credentials of an MCP server are passed on and never repeated', () => {
  const [mcp] = toolSamples.mcp ?? [];
  const { canonical, echo } = parse({ tools: [mcp] });
  assert.match(JSON.stringify(canonical.tools), /mcp-secret-token.*mcp-secret-header/);
  assert.doesNotMatch(JSON.stringify(echo), /secret|authorization|headers/);
});

test('a refusal of an MCP server does not quote its credentials', () => {
  const secret = 'mcp-secret-token';
  const faults = [
    { authorization: [secret] },
    { authorization: { [secret]: secret } },
    { headers: secret },
    { headers: { a: [secret] } },
    { authorization: secret, headers: { a: secret }, require_approval: 'never again' },
  ];
  for (const fault of faults) {
    const [status, message] = refusal({ tools: [{ type: 'mcp', server_label: 'x', ...fault }] });
    assert.equal(status, 400);
    assert(!message.includes(secret), message);
  }
});

test('of the kinds that the service has a tool for as well, the first entry counts', () => {
  const tools = [
    { type: 'web_search', max_results: 1 },
    { type: 'web_search_preview' },
    { type: 'file_search', vector_store_ids: ['a'] },
    { type: 'file_search', vector_store_ids: ['b'] },
  ];
  assert.equal(toolsOf(...tools).length, 3);
  assert.equal(parse({ tools }).echo.tools.length, 4);
});
