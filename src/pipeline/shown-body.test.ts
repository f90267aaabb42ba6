import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../test/support/request-parsing.ts';
import { shownBody } from './shown-body.ts';

const mcp = {
  type: 'mcp',
  server_label: 'wiki',
  authorization: 'mcp-secret-token',
  headers: { 'X-Key': 'k', 'X-Team': 'mcp-secret-header' },
};

test('credentials of MCP servers are not shown, wherever a dialect has put them', () => {
  const later = { type: 'mcp_2027', authorization: 'another-secret-token' };
  const input = [
    { type: 'additional_tools', role: 'user', tools: [later] },
    { role: 'user', content: 'x' },
  ];
  const { canonical } = parse({ tools: [mcp], input });
  const body = {
    model: 'm',
    tools: [mcp, later],
    mcp_servers: [{ token: 'Bearer mcp-secret-token', list: ['k', 'keep', 5, null] }],
  };
  assert.deepEqual(shownBody(body, canonical), {
    model: 'm',
    tools: [
      { ...mcp, authorization: '[secret]', headers: { 'X-Key': '[secret]', 'X-Team': '[secret]' } },
      { ...later, authorization: '[secret]' },
    ],
    mcp_servers: [{ token: '[secret]', list: ['[secret]', 'keep', 5, null] }],
  });
});

test('a body without such credentials is shown as it is', () => {
  const body = { input: 'mcp-secret-token' };
  assert.equal(shownBody(body, parse({ tools: [{ type: 'mcp', server_label: 'x' }] }).canonical), body);
});
