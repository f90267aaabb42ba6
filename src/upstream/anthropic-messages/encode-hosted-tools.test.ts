import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { HostedKind } from '../../core/hosted.ts';
import type { Tool } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

function hosted(tool: HostedKind, settings: JsonObject = {}): Tool {
  return { kind: 'hosted', tool, type: tool, settings };
}

function sent(...tools: Tool[]): JsonObject {
  return sentBody(adapter, { request: { tools, maxToolCalls: 3 } });
}

test('a search keeps its limits, its domains and its place among the tools', () => {
  const user_location = { type: 'approximate', city: 'Brest', country: 'FR' };
  const filters = { allowed_domains: ['a.test', 'b.test'], blocked_domains: ['b.test'] };
  assert.deepEqual(
    sent({ kind: 'function', name: 'f' }, hosted('web_search', { max_uses: 2, filters, user_location }))
      .tools,
    [
      { name: 'f', input_schema: { type: 'object', properties: {} } },
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        allowed_domains: ['a.test'],
        user_location,
      },
    ],
  );
  assert.deepEqual(sent(hosted('web_search', { filters: { excluded_domains: ['c.test'] } })).tools, [
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3, blocked_domains: ['c.test'] },
  ]);
});

test('the operator may state another version of a tool', () => {
  const quirks = { toolVersions: { web_search: 'web_search_20260318' } };
  const { tools } = sentBody(adapter, { request: { tools: [hosted('web_search')] }, provider: { quirks } });
  assert.deepEqual(tools, [{ type: 'web_search_20260318', name: 'web_search' }]);
});

test('code runs in a new sandbox with files, or goes on in a known one', () => {
  const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }];
  const known = sent(hosted('code_interpreter', { container: 'container_1' }));
  assert.deepEqual([known.tools, known.container], [tools, 'container_1']);
  const fresh = sent(hosted('code_interpreter', { container: { type: 'auto', file_ids: ['file_1'] } }));
  assert.deepEqual(fresh.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello there' },
        { type: 'container_upload', file_id: 'file_1' },
      ],
    },
  ]);
});

const server = { server_label: 'harbour', server_url: 'https://mcp.test', require_approval: 'never' };

test('MCP servers stand beside the tools', () => {
  const settings = { ...server, authorization: 'token', allowed_tools: { tool_names: ['lookup'] } };
  const body = sent(hosted('mcp', settings));
  assert.deepEqual(body.mcp_servers, [
    { type: 'url', name: 'harbour', url: 'https://mcp.test', authorization_token: 'token' },
  ]);
  assert.deepEqual(body.tools, [
    {
      type: 'mcp_toolset',
      mcp_server_name: 'harbour',
      default_config: { enabled: false },
      configs: { lookup: { enabled: true } },
    },
  ]);
  const request = { tools: [hosted('mcp', { ...server, headers: { Authorization: 'Bearer abc' } })] };
  const wire = adapter.encode(createCall({ request }));
  assert.deepEqual(wire.listHeaders, { 'anthropic-beta': ['mcp-client-2025-11-20'] });
  assert.match(JSON.stringify(wire.body), /"authorization_token":"abc"/);
});

test('what the provider cannot keep is refused, above all calls that want to be approved', () => {
  const refused = (tool: Tool) =>
    assert.throws(() => sent(tool), { code: 'upstream_invalid_request' }, JSON.stringify(tool));
  refused(hosted('mcp', { ...server, require_approval: 'always' }));
  refused(hosted('mcp', { server_label: 'a', server_url: 'https://mcp.test' }));
  refused(hosted('mcp', { ...server, server_url: undefined, connector_id: 'connector_gmail' }));
  refused(hosted('mcp', { ...server, headers: { 'x-team': 'a' } }));
  refused(hosted('file_search'));
  refused({ kind: 'custom', name: 'patch' });
});

test('uploaded files are asked for with their flag', () => {
  const items = [{ kind: 'message', role: 'user', content: [{ kind: 'file', fileId: 'file_1' }] }] as const;
  const wire = adapter.encode(createCall({ request: { items } }));
  assert.deepEqual(wire.listHeaders, { 'anthropic-beta': ['files-api-2025-04-14'] });
  assert.deepEqual(adapter.encode(createCall()).listHeaders, { 'anthropic-beta': [] });
});
