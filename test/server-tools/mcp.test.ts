import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { plainRules } from '../../src/core/guardrail.ts';
import { Secret } from '../../src/util/secret.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { configOf, startGateway } from '../support/gateway.ts';
import { parseStream } from '../support/read-stream.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { callStream } from '../turns/second-opinion.ts';
import { type McpTestServer, startMcpServer } from './mcp-server.ts';

const answer: Script = { steps: chatStream('Done', '.') };
const calls = (...list: (readonly [name: string, input: object])[]): Script => ({
  steps: callStream(...list.map(([name, input]) => [name, JSON.stringify(input)] as const)),
});
const echo = ['mcp__every__echo', { message: 'ahoy' }] as const;

let server: McpTestServer;
before(async () => {
  server = await startMcpServer();
});
after(() => server[Symbol.asyncDispose]());

interface WorldOptions {
  readonly mcp?: Partial<Config['tools']['mcp']>;
  readonly allow?: readonly string[];
  readonly databaseUrl?: string;
  readonly guardrails?: Config['guardrails'];
}

const schemas: Readonly<Record<string, string>> = {
  mcp_list_tools: 'McpListToolsItem',
  mcp_call: 'McpCallItem',
  mcp_approval_request: 'McpApprovalRequestItem',
};

/** Checks each item of an answer against the contract, which lists no items of MCP servers among those of answers. */
function checkItems(body: { readonly output: readonly { readonly type: string }[] }): void {
  const others = body.output.filter(({ type }) => schemas[type] === undefined);
  checkContract('OpenResponsesResult', { ...body, output: others });
  for (const item of body.output) {
    const schema = schemas[item.type];
    if (schema !== undefined) checkContract(schema, item);
  }
}

/** A gateway before one model, which may reach the server's port. */
async function start(
  scripts: readonly Script[],
  { mcp, allow, databaseUrl, guardrails = [] }: WorldOptions = {},
) {
  const upstream = await startFakeUpstream(...scripts);
  const models = [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])];
  const { tools } = configOf({ models });
  const gateway = await startGateway({
    models,
    ...(databaseUrl !== undefined && { databaseUrl }),
    config: {
      guardrails,
      tools: {
        ...tools,
        mcp: { ...tools.mcp, enabled: true, ...mcp },
        egress: { ...tools.egress, allow: allow ?? [`127.0.0.1:${server.port}`] },
      },
    },
  });
  server.seen.length = 0;
  const tool = { type: 'mcp', server_label: 'every', server_url: server.url, require_approval: 'never' };
  return {
    gateway,
    upstream,
    tool,
    ask: (body: object = {}) =>
      gateway.post({ model: 'acme/atlas-4', input: 'Say ahoy.', tools: [tool], ...body }),
    // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
    async read(body: object = {}): Promise<any> {
      return (await this.ask(body)).json();
    },
    messages: (turn: number) => {
      const sent = upstream.requests[turn];
      assert.ok(sent);
      const { messages } = sent.body as {
        messages: { role: string; content: string; tool_calls?: { function: object }[] }[];
      };
      return messages;
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await upstream.close();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
const read = async (response: Response): Promise<any> => response.json();

type World = Awaited<ReturnType<typeof start>>;

const typesOf = (body: { output: { type: string }[] }) => body.output.map(({ type }) => type);
const listings = () => server.seen.filter(({ rpc }) => rpc === 'tools/list').length;
/** What the server was asked; the end of an earlier test's session may still arrive. */
const asked = () => server.seen.filter(({ rpc }) => rpc !== undefined);
const made = () => server.seen.filter(({ rpc }) => rpc === 'tools/call').length;

test('lists the tools of a server, calls one, and answers with the items of the protocol', async () => {
  await using world = await start([calls(echo), answer]);
  const body = await world.read();
  checkItems(body);
  assert.deepEqual(typesOf(body), ['mcp_list_tools', 'message', 'mcp_call', 'message']);
  const [list, , call] = body.output;
  assert.match(list.id, /^mcpl_/);
  assert.equal(list.server_label, 'every');
  const listed = list.tools.find((one: { name: string }) => one.name === 'echo');
  assert.equal(listed.input_schema.properties.message.type, 'string');
  assert.match(call.id, /^mcp_/);
  const { id: _id, ...shown } = call;
  assert.deepEqual(shown, {
    type: 'mcp_call',
    status: 'completed',
    server_label: 'every',
    name: 'echo',
    arguments: '{"message":"ahoy"}',
    output: 'Echo: ahoy',
  });
  assert.equal(world.messages(1).at(-1)?.content, 'Echo: ahoy');
  assert.equal(body.usage.server_tool_use_details.tool_calls_executed, 1);
  const [sent] = world.upstream.requests;
  assert.ok(sent);
  const offered = (sent.body as { tools: { function: { name: string } }[] }).tools;
  assert.ok(offered.some(({ function: { name } }) => name === 'mcp__every__get-sum'));
});

test('the stream has the events of both items', async () => {
  await using world = await start([calls(echo), answer]);
  const { events } = parseStream(await (await world.ask({ stream: true })).text());
  const types = events
    .map(({ type }) => type.replace('response.', ''))
    .filter((type) => /mcp|item/.test(type));
  const items = ['output_item.added', 'output_item.done'] as const;
  assert.deepEqual(types, [
    items[0],
    'mcp_list_tools.in_progress',
    'mcp_list_tools.completed',
    items[1],
    ...items,
    items[0],
    'mcp_call.in_progress',
    'mcp_call_arguments.delta',
    'mcp_call_arguments.done',
    'mcp_call.completed',
    items[1],
    ...items,
  ]);
});

test('a list is kept by server and credentials', async () => {
  await using world = await start([answer, answer, answer]);
  const as = (token: string) => ({ tools: [{ ...world.tool, authorization: token }] });
  await world.read(as('one'));
  const again = await world.read(as('one'));
  assert.equal(listings(), 1);
  assert.equal(typesOf(again)[0], 'mcp_list_tools', 'a kept list is shown as well');
  await world.read(as('two'));
  assert.equal(listings(), 2);
});

test('a replayed list is used, and a replayed call becomes a call of its function', async () => {
  await using world = await start([calls(echo), answer, answer]);
  const first = await world.read();
  server.seen.length = 0;
  const user = { role: 'user', content: 'Again.' };
  const body = await world.read({ input: [{ role: 'user', content: 'Say ahoy.' }, ...first.output, user] });
  assert.deepEqual(typesOf(body), ['message']);
  assert.deepEqual(asked(), []);
  const messages = world.messages(2);
  const call = messages.find(({ tool_calls }) => tool_calls !== undefined);
  assert.deepEqual(call?.tool_calls?.[0]?.function, {
    name: 'mcp__every__echo',
    arguments: '{"message":"ahoy"}',
  });
  assert.equal(messages.find(({ role }) => role === 'tool')?.content, 'Echo: ahoy');
});

test('each server of a request is asked for its tools', async () => {
  await using world = await start([answer]);
  const { output } = await world.read({ tools: [world.tool, { ...world.tool, server_label: 'second' }] });
  const labels = output.flatMap((item: { type: string; server_label?: string }) =>
    item.type === 'mcp_list_tools' ? [item.server_label] : [],
  );
  assert.deepEqual(labels, ['every', 'second']);
});

test('only allowed tools are offered', async () => {
  await using world = await start([answer, answer]);
  const namesIn = async (allowed_tools: unknown) => {
    const body = await world.read({ tools: [{ ...world.tool, allowed_tools }] });
    return body.output[0].tools.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await namesIn(['get-sum']), ['get-sum']);
  const readOnly = await namesIn({ read_only: true });
  assert.ok(readOnly.includes('echo') && !readOnly.includes('toggle-simulated-logging'));
  const none = await world.ask({ tools: [{ ...world.tool, allowed_tools: ['absent'] }] });
  assert.equal(none.status, 400);
  assert.match((await read(none)).error.message, /offers none of the tools that may be called/);
});

test('a call that the server refuses is a failed item, and the model goes on', async () => {
  await using world = await start([calls(['mcp__every__echo', { msg: 5 }]), answer]);
  const body = await world.read();
  checkItems(body);
  const call = body.output[2];
  assert.equal(call.status, 'failed');
  assert.match(call.error, /Invalid arguments/);
  assert.match(world.messages(1).at(-1)?.content ?? '', /Invalid arguments/);
  assert.equal(body.status, 'completed');
});

/** A first answer that asks for approval, and the input that replays it with an answer. */
async function askApproval(
  world: World,
  response: object,
  change: (item: object) => object = (item) => item,
) {
  const tools = [{ ...world.tool, require_approval: 'always' }];
  const first = await world.read({ tools });
  checkItems(first);
  assert.deepEqual(typesOf(first), ['mcp_list_tools', 'message', 'mcp_approval_request']);
  assert.equal(made(), 0);
  const request = first.output[2];
  const input = [
    { role: 'user', content: 'Say ahoy.' },
    ...first.output.map((item: { type: string }) =>
      item.type === 'mcp_approval_request' ? change(item) : item,
    ),
    { type: 'mcp_approval_response', approval_request_id: request.id, ...response },
  ];
  return { request, input, tools };
}

test('a call that needs approval ends the answer, and runs once it is approved', async () => {
  await using world = await start([calls(echo), answer, answer]);
  const { request, input, tools } = await askApproval(world, { approve: true });
  assert.deepEqual(
    [request.server_label, request.name, request.arguments],
    ['every', 'echo', '{"message":"ahoy"}'],
  );
  const body = await world.read({ tools, input });
  checkItems(body);
  assert.deepEqual(typesOf(body), ['mcp_call', 'message']);
  assert.equal(body.output[0].approval_request_id, request.id);
  assert.equal(body.output[0].output, 'Echo: ahoy');
  assert.equal(world.messages(1).at(-1)?.content, 'Echo: ahoy');
  assert.equal(body.usage.server_tool_use_details.tool_calls_executed, 1);
  // Replayed with what came of it, it runs no second time.
  await world.read({ tools, input: [...input, ...body.output, { role: 'user', content: 'Thanks.' }] });
  assert.equal(made(), 1);
});

test('a call that is refused is told to the model', async () => {
  await using world = await start([calls(echo), answer]);
  const { input, tools } = await askApproval(world, { approve: false, reason: 'Too loud.' });
  const body = await world.read({ tools, input });
  assert.deepEqual([typesOf(body), made()], [['message'], 0]);
  assert.match(world.messages(1).at(-1)?.content ?? '', /refused this call\. Reason: Too loud\./);
});

test('changed arguments, a foreign id and an answer to nothing are refused', async () => {
  const other = `mcpr_${Buffer.alloc(34, 7).toString('base64url')}`;
  const changes: readonly ((item: object) => object)[] = [
    (item) => ({ ...item, arguments: '{"message":"rm -rf /"}' }),
    (item) => ({ ...item, name: 'get-env' }),
    (item) => ({ ...item, id: other }),
  ];
  for (const change of changes) {
    await using world = await start([calls(echo)]);
    const id = (change({}) as { id?: string }).id;
    const response = { approve: true, ...(id !== undefined && { approval_request_id: id }) };
    const { input, tools } = await askApproval(world, response, change);
    const refused = await world.ask({ tools, input });
    assert.equal(refused.status, 400);
    assert.match((await read(refused)).error.message, /is not what was asked here/);
    assert.equal(made(), 0);
    const orphan = { type: 'mcp_approval_response', approval_request_id: 'mcpr_x', approve: true };
    assert.equal((await world.ask({ tools, input: [orphan] })).status, 400);
  }
});

test('an approval of another key, or of a tool that has changed, approves nothing', async () => {
  await using world = await start([calls(echo), answer]);
  const { input, tools } = await askApproval(world, { approve: true });
  const key = await world.gateway.createKey();
  const foreign = await world.gateway.post(
    { model: 'acme/atlas-4', tools, input },
    { authorization: `Bearer ${key}` },
  );
  assert.equal(foreign.status, 400);
  const changed = input.map((item) =>
    'tools' in item
      ? {
          ...item,
          tools: [{ name: 'echo', description: 'Something else.', input_schema: { type: 'object' } }],
        }
      : item,
  );
  await world.read({ tools, input: changed });
  assert.match(world.messages(1).at(-1)?.content ?? '', /has changed since the call was approved/);
  assert.equal(made(), 0);
});

test("the operator's own server is named by its label, and may be private", async () => {
  const servers = { every: { url: server.url, headers: { 'x-team': new Secret('operator-secret') } } };
  await using world = await start([calls(echo), answer], { mcp: { servers }, allow: [] });
  const tool = { type: 'mcp', server_label: 'every', require_approval: 'never' };
  const body = await world.read({ tools: [tool] });
  assert.equal(body.output[2].output, 'Echo: ahoy');
  assert.ok(asked().every(({ headers }) => headers['x-team'] === 'operator-secret'));
  const unknown = await world.ask({ tools: [{ ...tool, server_label: 'other' }] });
  assert.match((await read(unknown)).error.message, /has no server_url, and this server declares none/);
});

const refusals: readonly (readonly [
  about: string,
  settings: object,
  options: WorldOptions,
  message: RegExp,
])[] = [
  ['a private address', {}, { allow: [] }, /without https/],
  ['metadata of a cloud', { server_url: 'https://169.254.169.254/mcp' }, {}, /is not allowed/],
  ['a name of this machine', { server_url: 'https://localhost/mcp' }, {}, /is not allowed/],
  ['a host that is not listed', {}, { mcp: { allowedHosts: ['mcp.example'] } }, /host is not allowed here/],
  ['a label with a space', { server_label: 'a b' }, {}, /letters, digits/],
];
for (const [about, settings, options, message] of refusals) {
  test(`refused: ${about}`, async () => {
    await using world = await start([], options);
    const response = await world.ask({ tools: [{ ...world.tool, ...settings }] });
    const { error } = await read(response);
    assert.match(error.message, message);
    assert.equal(response.status, 400, error.message);
    assert.deepEqual(asked(), []);
  });
}

test('credentials reach the server alone: no log, no answer, no database has them', async () => {
  const secret = 'canary-of-credentials';
  const folder = temporaryFolder();
  const databaseUrl = `sqlite:${join(folder, 'books.db')}`;
  {
    await using world = await start([calls(echo), answer], { databaseUrl });
    const tool = {
      ...world.tool,
      authorization: secret,
      headers: { 'X-Other': `${secret}-2`, Host: 'evil.example' },
    };
    const response = await world.ask({ tools: [tool], stream: true, debug: { echo_upstream_body: true } });
    const text = await response.text();
    assert.ok(text.includes('Echo: ahoy'));
    assert.ok(asked().length >= 4);
    for (const { headers } of asked()) {
      assert.equal(headers.authorization, `Bearer ${secret}`);
      assert.equal(headers['x-other'], `${secret}-2`);
      assert.equal(headers.host, `127.0.0.1:${server.port}`);
    }
    assert.ok(!text.includes(secret));
    assert.ok(!world.gateway.log.join('\n').includes(secret));
    for (const { body } of world.upstream.requests) assert.ok(!JSON.stringify(body).includes(secret));
  }
  const files = readdirSync(folder);
  assert.ok(files.includes('books.db'));
  for (const name of files) assert.ok(!readFileSync(join(folder, name)).includes(secret), name);
});

test('a server that cannot be listed fails the request, or is left out where the operator wants that', async () => {
  for (const onListFailure of ['fail', 'continue'] as const) {
    await using world = await start([answer], { mcp: { onListFailure } });
    const dead = { ...world.tool, server_label: 'dead', server_url: server.url.replace('/mcp', '/nothing') };
    const response = await world.ask({ tools: [dead] });
    const body = await read(response);
    if (onListFailure === 'fail') {
      assert.equal(response.status, 502);
      assert.match(body.error.message, /The MCP server "dead" failed/);
      continue;
    }
    checkItems(body);
    assert.deepEqual(typesOf(body), ['mcp_list_tools', 'message']);
    assert.match(body.output[0].error, /The MCP server "dead" failed/);
    assert.match(world.messages(0)[0]?.content ?? '', /cannot be used at the moment: dead/);
  }
});

test('the session at the server ends with the request', async () => {
  await using world = await start([calls(echo, echo), answer]);
  await world.read();
  await eventually('the end of the session', () => server.seen.some(({ method }) => method === 'DELETE'));
  assert.equal(server.seen.filter(({ rpc }) => rpc === 'initialize').length, 1);
  assert.ok(!server.seen.some(({ method }) => method === 'GET'), 'no stream of the server is opened');
});

test('chat completions take servers whose calls need no approval', async () => {
  await using world = await start([calls(echo), answer]);
  const ask = (tool: object) =>
    fetch(`${world.gateway.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.gateway.key}` },
      body: JSON.stringify({
        model: 'acme/atlas-4',
        messages: [{ role: 'user', content: 'Say ahoy.' }],
        tools: [tool],
      }),
    });
  const body = await read(await ask(world.tool));
  const { message } = body.choices[0];
  assert.match(message.content, /Done\.$/);
  const details = message.reasoning_details.filter(
    ({ type }: { type: string }) => type === 'reasoning.server_tool_call',
  );
  assert.deepEqual(
    details.map(({ tool_name, result }: { tool_name: string; result: string }) => [tool_name, result]),
    [['mcp__every__echo', 'Echo: ahoy']],
  );
  const refused = await ask({ ...world.tool, require_approval: 'always' });
  assert.equal(refused.status, 400);
  assert.match((await read(refused)).error.message, /require_approval/);
});

test('arguments pass the guardrails before the server gets them', async () => {
  const secret = ['mcp__every__echo', { message: 'ahoy jane.doe@example.com' }] as const;
  for (const action of ['redact', 'block'] as const) {
    const rules = { ...plainRules, contentFilterBuiltins: [{ slug: 'email' as const, action }] };
    const guardrails = [{ name: 'mail', rules, apply: { all: true, workspaces: [], keys: [] } }];
    await using world = await start([calls(secret), answer], { guardrails });
    const body = await world.read();
    assert.equal(body.status, 'completed');
    const result = world.messages(1).at(-1)?.content ?? '';
    if (action === 'redact') assert.equal(result, 'Echo: ahoy [EMAIL]');
    else {
      assert.match(result, /blocked by a guardrail: Email address/);
      assert.equal(made(), 0);
    }
  }
});

test('what servers say of their tools passes the guardrails before the model reads it', async () => {
  const guardrailsOf = (action: 'redact' | 'block') => {
    const filter = { pattern: 'Echoes', action, label: '[VERB]' };
    const rules = { ...plainRules, contentFilters: [filter] };
    return [{ name: 'verbs', rules, apply: { all: true, workspaces: [], keys: [] } }];
  };
  await using soft = await start([calls(echo), answer], { guardrails: guardrailsOf('redact') });
  const body = await soft.read();
  assert.equal(body.status, 'completed');
  assert.equal(soft.messages(1).at(-1)?.content, 'Echo: ahoy');
  const sent = JSON.stringify(soft.upstream.requests[0]?.body);
  assert.match(sent, /"description":"\[VERB\] /);
  assert.doesNotMatch(sent, /Echoes/);
  await using strict = await start([answer], { guardrails: guardrailsOf('block') });
  const refused = await strict.ask();
  assert.equal(refused.status, 403, await refused.text());
  assert.equal(strict.upstream.requests.length, 0);
});
