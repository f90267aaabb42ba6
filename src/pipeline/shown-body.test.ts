import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../test/support/request-parsing.ts';
import { shownBody } from './turn.ts';

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

test('of the address of an MCP server its credentials are not shown', () => {
  const server_url = 'https://ann:pass-word@mcp.test:8443/sse?token=t0ken&key=k#frag';
  const tool = { type: 'mcp', server_label: 'x', server_url };
  const { canonical, echo } = parse({ tools: [tool] });
  const shown = 'https://[secret]@mcp.test:8443/sse?token=[secret]&key=[secret]#[secret]';
  assert.deepEqual(shownBody({ tools: [tool], mcp_servers: [{ url: server_url }] }, canonical), {
    tools: [{ ...tool, server_url: shown }],
    mcp_servers: [{ url: shown }],
  });
  assert.equal(echo.tools[0]?.server_url, shown, 'nor in the answer');
  const plain = { tools: [{ ...tool, server_url: 'https://mcp.test/sse' }] };
  assert.equal(shownBody(plain, parse(plain).canonical), plain);
});

test('a body without such credentials is shown as it is', () => {
  const body = { input: 'mcp-secret-token' };
  assert.equal(shownBody(body, parse({ tools: [{ type: 'mcp', server_label: 'x' }] }).canonical), body);
});
