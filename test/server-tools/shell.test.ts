import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { plainRules } from '../../src/core/guardrail.ts';
import { parseUsd } from '../../src/core/money.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { configOf, startGateway } from '../support/gateway.ts';
import { parseStream } from '../support/read-stream.ts';
import { callStream } from '../turns/second-opinion.ts';
import { noBubblewrap, smallLimits } from './bubblewrap-here.ts';

const skip = noBubblewrap;
const answer: Script = { steps: chatStream('Done', '.') };
const calls = (...list: (readonly [name: string, input: object])[]): Script => ({
  steps: callStream(...list.map(([name, input]) => [name, JSON.stringify(input)] as const)),
});
const shell = (...commands: string[]) => calls(['service_shell', { commands }]);
const bash = (input: object) => calls(['service_bash', input]);
const shellTool = { type: 'service:shell' };
const bashTool = { type: 'service:bash', parameters: { engine: 'service' } };

/** A gateway before one model, with a sandbox. */
async function start(
  scripts: readonly Script[],
  sandbox: Partial<Config['tools']['sandbox']> = {},
  guardrails: Config['guardrails'] = [],
) {
  const upstream = await startFakeUpstream(...scripts);
  const models = [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])];
  const { tools } = configOf({ models });
  const settings = { ...tools.sandbox, driver: 'bubblewrap', limits: smallLimits, ...sandbox } as const;
  const gateway = await startGateway({
    models,
    config: { guardrails, tools: { ...tools, sandbox: settings } },
  });
  return {
    gateway,
    upstream,
    ask: (body: object) => gateway.post({ model: 'acme/atlas-4', input: 'Run it.', ...body }),
    // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
    async read(body: object): Promise<any> {
      return (await this.ask(body)).json();
    },
    messages: (turn: number) => {
      const sent = upstream.requests[turn];
      assert.ok(sent);
      return (sent.body as { messages: { role: string; content: string; tool_calls?: object[] }[] }).messages;
    },
    result: (turn: number) =>
      JSON.parse(
        (upstream.requests[turn]?.body as { messages: { content: string }[] } | undefined)?.messages.at(-1)
          ?.content ?? '',
      ),
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await upstream.close();
    },
  };
}

const typesOf = (body: { output: { type: string }[] }) => body.output.map(({ type }) => type);
const exit = (exit_code: number) => ({ type: 'exit', exit_code });

test('service:shell runs commands one after the other in one container', { skip }, async () => {
  await using world = await start([shell('echo a > f', 'X=1; exit 3', 'cat f; echo "[$X]" >&2'), answer]);
  const body = await world.read({ tools: [shellTool] });
  checkContract('OpenResponsesResult', body);
  const [, item] = body.output;
  assert.match(item.id, /^shc_/);
  const output = [
    { stdout: '', stderr: '', outcome: exit(0) },
    { stdout: '', stderr: '', outcome: exit(3) },
    { stdout: 'a\n', stderr: '[]\n', outcome: exit(0) },
  ];
  assert.deepEqual(item.output, output);
  assert.equal(item.status, 'completed');
  assert.match(item.container_id, /^[\w-]{1,20}$/);
  assert.deepEqual(item.action.commands, ['echo a > f', 'X=1; exit 3', 'cat f; echo "[$X]" >&2']);
  assert.deepEqual(world.result(1), { output });
});

test('shell with a container is answered in kind, and its replay becomes calls of the function', {
  skip,
}, async () => {
  await using world = await start([shell('echo hi'), answer, answer]);
  const tools = [{ type: 'shell', environment: { type: 'container_auto' } }];
  const body = await world.read({ tools });
  assert.deepEqual(typesOf(body), ['message', 'shell_call', 'shell_call_output', 'message']);
  const [, call, output] = body.output;
  checkContract('OutputShellCallItem', call);
  checkContract('OutputShellCallOutputItem', output);
  assert.equal(call.call_id, output.call_id);
  assert.deepEqual(output.output, [{ stdout: 'hi\n', stderr: '', outcome: exit(0) }]);
  const replay = [{ role: 'user', content: 'Run it.' }, ...body.output, { role: 'user', content: 'Thanks.' }];
  await world.read({ tools, input: replay });
  const told = world.messages(2);
  assert.match(JSON.stringify(told.find(({ tool_calls }) => tool_calls)), /"service_shell".*echo hi/);
  assert.match(told.find(({ role }) => role === 'tool')?.content ?? '', /hi\\n/);
  assert.equal(world.upstream.requests.length, 3);
});

test('the stream of both kinds keeps the grammar', { skip }, async () => {
  const kinds = [shellTool, { type: 'shell', environment: { type: 'container_auto' } }, bashTool];
  for (const tool of kinds) {
    const call = tool === bashTool ? bash({ command: 'echo hi' }) : shell('echo hi');
    await using world = await start([call, answer]);
    const { terminal } = parseStream(await (await world.ask({ tools: [tool], stream: true })).text());
    assert.equal(terminal.status, 'completed');
  }
});

test('service:bash runs one script; a time-out is an exit code', { skip }, async () => {
  await using world = await start([
    calls(
      ['service_bash', { commands: ['X=5', 'echo $X', 'exit 4'] }],
      ['service_bash', { command: 'echo begun; sleep 100', timeout_ms: 200 }],
      ['service_bash', { command: 'yes | head -c 5000', max_output_length: 10 }],
    ),
    answer,
  ]);
  const body = await world.read({ tools: [bashTool] });
  checkContract('OpenResponsesResult', body);
  const [, one, two, three] = body.output;
  assert.deepEqual([one.command, one.stdout, one.exitCode], ['X=5\necho $X\nexit 4', '5\n', 4]);
  assert.deepEqual([two.stdout, two.exitCode], ['begun\n', 124]);
  assert.match(two.stderr, /ended after 200 ms/);
  assert.equal(three.stdout.length, 10);
});

test('a session keeps its container, a restart ends it, others have their own', { skip }, async () => {
  const look = () => bash({ command: 'ls' });
  await using world = await start([
    bash({ command: 'touch kept' }),
    answer,
    look(),
    answer,
    look(),
    answer,
    bash({ restart: true }),
    look(),
    answer,
  ]);
  const ask = async (session_id?: string) => {
    const body = await world.read({ tools: [bashTool], ...(session_id && { session_id }) });
    return body.output.filter(({ type }: { type: string }) => type === 'service:bash').at(-1);
  };
  await ask('one');
  assert.equal((await ask('one')).stdout, 'kept\n');
  assert.equal((await ask('two')).stdout, '');
  assert.equal((await ask('one')).stdout, '');
});

test('a container can be named by its workspace, and by nobody else', { skip }, async () => {
  await using world = await start([shell('echo mine > f'), answer, shell('cat f'), answer]);
  const first = await world.read({ tools: [shellTool] });
  const { container_id } = first.output[1];
  const named = (id: string) => ({
    tools: [
      {
        type: 'service:shell',
        parameters: { environment: { type: 'container_reference', container_id: id } },
      },
    ],
  });
  const body = await world.read(named(container_id));
  assert.equal(body.output[1].output[0].stdout, 'mine\n');
  const workspace = await callApi(
    world.gateway,
    await world.gateway.createKey({ kind: 'management', workspaceId: null }),
    'POST',
    '/workspaces',
    { name: 'Other', slug: 'other' },
  );
  const foreign = await world.gateway.createKey({ workspaceId: workspace.body.data.id });
  const refused = async (id: string, key: string) => {
    const response = await world.gateway.post(
      { model: 'acme/atlas-4', input: 'x', ...named(id) },
      { authorization: `Bearer ${key}` },
    );
    assert.equal(response.status, 400);
    const { error } = (await response.json()) as { error: { message: string } };
    return error.message.replace(id, 'ID');
  };
  assert.equal(await refused(container_id, foreign), await refused('hgc_unknown', world.gateway.key));
});

test('containers are bounded: the longest unused one makes room', { skip }, async () => {
  const scripts = ['one', 'two', 'three', 'one'].flatMap(() => [bash({ command: 'ls; touch f' }), answer]);
  await using world = await start(scripts, { maxContainersPerWorkspace: 2 });
  const ask = async (session_id: string) =>
    (await world.read({ tools: [bashTool], session_id })).output[1].stdout;
  for (const session of ['one', 'two', 'three']) assert.equal(await ask(session), '');
  assert.equal(await ask('one'), '', 'its container has made room');
});

test('a fork bomb and 10 GB of output do not keep the gateway from answering', { skip }, async () => {
  const bomb = ':(){ :|:& };: ; head -c 10000000000 /dev/zero; sleep 1';
  await using world = await start([bash({ command: bomb, timeout_ms: 3_000 }), answer]);
  const attacked = world.read({ tools: [bashTool] });
  for (let asked = 0; asked < 10; asked += 1) {
    assert.equal((await world.gateway.get('/health/live')).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal((await attacked).status, 'completed');
});

test('on Messages the blocks of both tools, and their replay', { skip }, async () => {
  await using world = await start([
    calls(['service_shell', { commands: ['echo hi'] }], ['service_bash', { command: 'echo ho' }]),
    answer,
    answer,
  ]);
  const ask = async (messages: object[]) => {
    const response = await fetch(`${world.gateway.url}/api/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.gateway.key}` },
      body: JSON.stringify({
        model: 'acme/atlas-4',
        max_tokens: 100,
        messages,
        tools: [shellTool, bashTool],
      }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: checked below.
    return (await response.json()) as any;
  };
  const user = { role: 'user', content: 'Run it.' };
  const { content } = await ask([user]);
  const blocks = content.filter(({ type }: { type: string }) => type !== 'text');
  assert.deepEqual(
    blocks.map(({ type, name, input, content: result }: Record<string, unknown>) => [
      type,
      name ?? result,
      input,
    ]),
    [
      ['server_tool_use', 'shell', { commands: ['echo hi'] }],
      [
        'service_shell_tool_result',
        { output: [{ stdout: 'hi\n', stderr: '', outcome: exit(0) }] },
        undefined,
      ],
      ['server_tool_use', 'bash', { command: 'echo ho' }],
      ['service_bash_tool_result', { stdout: 'ho\n', stderr: '', exitCode: 0 }, undefined],
    ],
  );
  await ask([user, { role: 'assistant', content }, { role: 'user', content: 'Thanks.' }]);
  const replayed = JSON.stringify(world.messages(2));
  assert.match(replayed, /service_shell/);
  assert.match(replayed, /"arguments":"\{\\"command\\":\\"echo ho\\"\}"/);
  assert.match(replayed, /ho\\\\n/);
});

test('without a sandbox, tools that need one are refused, and what is the client stays the client', async () => {
  await using world = await start([bash({ command: 'ls' }), answer], { driver: 'off' });
  const needing = [
    shellTool,
    bashTool,
    { type: 'shell', environment: { type: 'container_auto' } },
    { type: 'shell', environment: { type: 'container_reference', container_id: 'a' } },
  ];
  for (const tool of needing) {
    const response = await world.ask({ tools: [tool] });
    assert.equal(response.status, 400);
    assert.match(JSON.stringify(await response.json()), /needs a sandbox/);
  }
  const body = await world.read({ tools: [{ type: 'service:bash' }] });
  checkContract('OpenResponsesResult', body);
  assert.deepEqual(typesOf(body), ['message', 'service:bash']);
  const [, item] = body.output;
  assert.equal(item.command, 'ls');
  assert.ok(!('stdout' in item));
  const ran = { ...item, stdout: 'a.txt\n', stderr: '', exitCode: 0 };
  await world.read({
    tools: [{ type: 'service:bash' }],
    input: [{ role: 'user', content: 'Run it.' }, body.output[0], ran],
  });
  assert.match(world.messages(1).at(-1)?.content ?? '', /a\.txt/);
});

test('a shell without a container is the client own, with a sandbox too', { skip }, async () => {
  await using world = await start([calls(['shell', { commands: ['ls'] }])]);
  const body = await world.read({ tools: [{ type: 'shell' }] });
  assert.deepEqual(typesOf(body), ['message', 'shell_call']);
  assert.equal(world.upstream.requests.length, 1);
});

test('what commands write passes the guardrails before the next turn', { skip }, async () => {
  for (const action of ['redact', 'block'] as const) {
    const rules = { ...plainRules, contentFilterBuiltins: [{ slug: 'email' as const, action }] };
    const mail = { name: 'mail', rules, apply: { all: true, workspaces: [], keys: [] } };
    const command = 'echo "jane.doe"@example.com';
    await using world = await start([bash({ command }), answer], {}, [mail]);
    const body = await world.read({ tools: [bashTool] });
    assert.equal(body.status, 'completed');
    const read = world.messages(1).find(({ role }) => role === 'tool')?.content ?? '';
    assert.ok(!read.includes('jane.doe@'), read);
    assert.match(read, action === 'redact' ? /\[EMAIL\]/ : /Error/);
  }
});

test('each turn is admitted anew: one that the key cannot pay does not begin', { skip }, async () => {
  await using world = await start([bash({ command: 'echo a' }), bash({ command: 'echo b' }), answer]);
  const key = await world.gateway.createKey({ limit: parseUsd('0.0002') });
  const response = await world.gateway.post(
    { model: 'acme/atlas-4', input: 'Run it.', max_output_tokens: 10, tools: [bashTool] },
    { authorization: `Bearer ${key}` },
  );
  const body = (await response.json()) as { error?: { message?: string } | null };
  assert.ok(body.error, JSON.stringify(body));
  assert.ok(world.upstream.requests.length < 3);
});
