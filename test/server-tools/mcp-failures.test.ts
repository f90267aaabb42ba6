import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway } from '../support/gateway.ts';
import { callStream } from '../turns/second-opinion.ts';
import { type SeenRequest, startSite } from './local-site.ts';

const answer: Script = { steps: chatStream('Done', '.') };
const call: Script = { steps: callStream(['mcp__odd__look', '{"place":"berth"}']) };

type Behaviour = (request: SeenRequest, response: ServerResponse) => void;

/** A gateway before one model, and an MCP server that behaves in some way. */
async function start(behave: Behaviour, scripts: readonly Script[]) {
  const site = await startSite(behave);
  const upstream = await startFakeUpstream(...scripts);
  const models = [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])];
  const { tools } = configOf({ models });
  const gateway = await startGateway({
    models,
    config: {
      tools: {
        ...tools,
        mcp: { ...tools.mcp, enabled: true, callTimeout: 400 },
        egress: { ...tools.egress, allow: [`127.0.0.1:${site.port}`] },
      },
    },
  });
  const tool = { type: 'mcp', server_label: 'odd', server_url: `${site.url}/mcp`, require_approval: 'never' };
  return {
    site,
    upstream,
    async ask(input: unknown) {
      const response = await gateway.post({ model: 'acme/atlas-4', input, tools: [tool] });
      // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
      return { status: response.status, body: (await response.json()) as any };
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await upstream.close();
      await site[Symbol.asyncDispose]();
    },
  };
}

const json = { 'content-type': 'application/json' };
const behaviours: Readonly<Record<string, readonly [behave: Behaviour, message: RegExp]>> = {
  'never answers': [() => {}, /timed out|in time/i],
  'closes the connection': [(_request, response) => response.destroy(), /could not be reached/],
  'answers HTML': [
    (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /failed/,
  ],
  'answers no JSON': [(_request, response) => response.writeHead(200, json).end('{'), /failed/],
  'wants credentials': [(_request, response) => response.writeHead(401, json).end('{}'), /failed/],
  'redirects elsewhere': [
    (_request, response) => response.writeHead(307, { location: 'http://169.254.169.254/mcp' }).end(),
    /failed/,
  ],
  'sends without end': [
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = `data: ${'x'.repeat(1024 * 1024)}\n\n`;
      const more = () => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    },
    /failed/,
  ],
};

for (const [what, [behave, message]] of Object.entries(behaviours)) {
  test(`a server that ${what} fails the request in time, and costs nothing`, async () => {
    await using world = await start(behave, []);
    const { status, body } = await world.ask('Look.');
    assert.equal(status, 502, JSON.stringify(body));
    assert.match(body.error.message, message);
    assert.ok(body.error.message.length < 500);
    assert.equal(world.upstream.requests.length, 0);
  });

  test(`a server that ${what} while it is called fails its call, and the model goes on`, async () => {
    await using world = await start(behave, [call, call, call, call, answer]);
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const list = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'odd', tools };
    const { status, body } = await world.ask([list, { role: 'user', content: 'Look.' }]);
    assert.equal(status, 200);
    assert.equal(body.status, 'completed');
    const calls = body.output.filter(({ type }: { type: string }) => type === 'mcp_call');
    assert.deepEqual(
      calls.map((item: { status: string }) => item.status),
      ['failed', 'failed', 'failed', 'failed'],
    );
    assert.match(calls[0].error, message);
    assert.match(calls[3].error, /out of order/, 'after three failures it is not asked again');
  });
}
