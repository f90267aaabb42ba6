import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { picturedResult } from '../../src/server-tools/mcp/mcp-link.ts';
import type { ScriptedAnswer, SeenRequest } from '../dialects/dialect-script.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { checkStream } from '../stream-checker.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway } from '../support/gateway.ts';
import { type McpTestServer, startMcpServer } from './mcp-server.ts';
import { calls, type Read } from './tool-world.ts';

const tested = new Set(['openai-chat', 'anthropic-messages', 'google-gemini', 'openai-responses']);
const usage = { input: 30, output: 20 };
/** How every PNG begins in base64. */
const png = 'iVBORw0KGgo';
const name = 'mcp__every__get-tiny-image';

let server: McpTestServer;
before(async () => {
  server = await startMcpServer();
});
after(() => server[Symbol.asyncDispose]());

/** The operator's own server: then no provider runs it in place of the gateway. */
const configWithServer = () => {
  const { tools } = configOf({ models: [] });
  return {
    tools: {
      ...tools,
      mcp: { ...tools.mcp, enabled: true, servers: { every: { url: server.url, headers: {} } } },
    },
  };
};
const tool = { type: 'mcp', server_label: 'every', require_approval: 'never' };

/** Calls the tool once, and speaks once there is a result. */
const play = ({ turns }: SeenRequest): ScriptedAnswer => {
  if (turns.some((turn) => 'output' in turn))
    return { utterances: [{ say: ['A picture.'] }], finish: 'stop', usage };
  return {
    utterances: [{ call: [{ id: 'call_a1', name, arguments: ['{}'] }] }],
    finish: 'tool_calls',
    usage,
  };
};

for (const dialect of dialects.filter(({ adapter }) => tested.has(adapter))) {
  describe(`a picture of an MCP server over ${dialect.adapter}`, () => {
    let stage: Stage & { readonly strike: () => Promise<void> };
    before(async () => {
      stage = await setStage(dialect, configWithServer());
    });
    after(() => stage.strike());

    for (const stream of [false, true]) {
      test(`reaches a model that reads pictures; the client reads its name${stream ? ', streamed' : ''}`, async () => {
        stage.say(play);
        const { status, events } = await askWith(stage, [tool], stream);
        assert.equal(status, 200);
        if (stream) checkStream(events);
        const [first, second] = stage.provider.bodies.slice(-2).map((body) => JSON.stringify(body));
        assert.doesNotMatch(first ?? '', new RegExp(png));
        assert.match(second ?? '', new RegExp(png));
        assert.match(second ?? '', /image\/png, \d+ bytes, see below/);
      });
    }
  });
}

/** Asks without the check of the contract, which lists no items of MCP servers. */
async function askWith({ gateway }: Stage, tools: readonly object[], stream: boolean) {
  const response = await gateway.post({ model: 'acme/atlas-4', input: 'Show me.', tools, stream });
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  const events = lines.map((line) => JSON.parse(line.slice('data: '.length)));
  const body: Read = stream ? events.at(-1)?.response : JSON.parse(text);
  const call = body.output.find(({ type }: Read) => type === 'mcp_call');
  assert.match(call.output, /\[image: image\/png, \d+ bytes, not shown\]/);
  assert.doesNotMatch(text, new RegExp(png));
  return { status: response.status, events };
}

test('a model that reads text alone gets the name of the picture', async () => {
  const upstream = await startFakeUpstream(calls([name, {}]), { steps: chatStream('I see nothing.') });
  const model = modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })]);
  const models = [{ ...model, inputModalities: ['text'] as const }];
  const gateway = await startGateway({ models, config: configWithServer() });
  try {
    const response = await gateway.post({ model: 'acme/atlas-4', input: 'Show me.', tools: [tool] });
    assert.equal(((await response.json()) as Read).status, 'completed');
  } finally {
    await gateway.stop();
    await upstream.close();
  }
  const sent = JSON.stringify(upstream.requests[1]?.body);
  assert.match(sent, /image\/png, \d+ bytes, not shown/);
  assert.doesNotMatch(sent, new RegExp(png));
});

test('at most four pictures of a result are shown, of kinds that models read', () => {
  const picture = (data: string) => ({ type: 'image' as const, mimeType: 'image/x', data });
  const unknown = picture('AAAA');
  const known = Array.from({ length: 5 }, () => picture(`${png}AAAA`));
  const shown = picturedResult({ content: [unknown, ...known] }, 10_000);
  assert.equal(shown?.pictures.length, 4);
  assert.equal(shown?.pictures[0]?.url, `data:image/png;base64,${png}AAAA`);
  const lines = shown?.output.split('\n') ?? [];
  assert.deepEqual(
    lines.map((line) => /see below|not shown/.exec(line)?.[0]),
    ['not shown', 'see below', 'see below', 'see below', 'see below', 'not shown'],
  );
  const large = picture(png + 'A'.repeat(5_000_000));
  assert.equal(picturedResult({ content: [unknown, large, { type: 'text', text: 'x' }] }, 10), undefined);
});
