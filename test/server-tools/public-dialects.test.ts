import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret } from '../../src/util/secret.ts';
import type { ScriptedAnswer, SeenRequest } from '../dialects/dialect-script.ts';
import { openaiChat } from '../dialects/openai-chat.ts';
import { askPublic, type PublicClient, publicClients } from '../dialects/support/public-clients.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { checkMessageStream } from '../messages/message-checker.ts';
import { configOf } from '../support/gateway.ts';
import { type LocalSite, sendJson, startSite } from './local-site.ts';
import type { Read } from './tool-world.ts';

// Tools that the gateway runs, as clients of each public dialect see them and give them back.

const model = 'acme/atlas-4';
const usage = { input: 30, output: 20 };

/** A tool as each dialect lists it, the input the model gives, and the blocks that Messages shows. */
interface Use {
  readonly listed: Readonly<Record<string, object>>;
  readonly input: string;
  readonly pair?: readonly [call: string, result: string];
  /** Words of the result, which the model reads again when the answer is replayed. */
  readonly result: RegExp;
}

const everywhere = (tool: object) => ({ responses: tool, chat: tool, messages: tool });
const uses: Readonly<Record<string, Use>> = {
  service_datetime: {
    listed: everywhere({ type: 'service:datetime' }),
    input: '{"timezone":"UTC"}',
    result: /20\d\d-/,
  },
  service_web_search: {
    listed: {
      ...everywhere({ type: 'service:web_search' }),
      messages: { type: 'service:web_search', name: 'web_search' },
    },
    input: '{"query":"tides"}',
    pair: ['web_search', 'web_search_tool_result'],
    result: /sea\.example/,
  },
  service_web_fetch: {
    listed: everywhere({ type: 'service:web_fetch' }),
    input: '{"url":"{site}/page"}',
    pair: ['web_fetch', 'web_fetch_tool_result'],
    result: /High water/,
  },
  service_advisor: {
    listed: {
      ...everywhere({ type: 'service:advisor', parameters: { model } }),
      messages: { type: 'advisor_20260301', name: 'advisor', model },
    },
    input: '{"prompt":"Well?"}',
    pair: ['advisor', 'advisor_tool_result'],
    result: /Inner words/,
  },
};

let site: LocalSite;
let stage: Stage & { readonly strike: () => Promise<void> };
before(async () => {
  site = await startSite(({ url }, response) => {
    if (url.startsWith('/page')) response.end('High water at noon.');
    else
      sendJson(response, { results: [{ url: 'https://sea.example/a', title: 'A', highlights: ['Noon.'] }] });
  });
  const { tools } = configOf({ models: [] });
  const engine = { engine: 'exa', baseUrl: site.url, apiKey: new Secret('engine-key') } as const;
  const egress = { ...tools.egress, allow: [`127.0.0.1:${site.port}`] };
  stage = await setStage(openaiChat, { tools: { ...tools, webSearch: { engines: [engine] }, egress } });
});
after(async () => {
  assert.deepEqual(await stage.gateway.storage.ledger.verify(), []);
  await stage.strike();
  await site[Symbol.asyncDispose]();
});

/** A model that says something, calls the tool, and answers once it has the result. */
const player =
  (name: string, input: string) =>
  ({ tools, turns }: SeenRequest): ScriptedAnswer => {
    const say = (...words: string[]): ScriptedAnswer => ({
      utterances: [{ say: words }],
      finish: 'stop',
      usage,
    });
    if (!tools.some((tool) => tool.name === name)) return say('Inner ', 'words.');
    if (turns.some((turn) => 'output' in turn)) return say('Well ', 'then.');
    return {
      utterances: [
        { say: ['Let me ', 'look.'] },
        { call: [{ id: 'call_a1', name, arguments: [input.replace('{site}', site.url)] }] },
      ],
      finish: 'tool_calls',
      usage,
    };
  };

/** What is said next by a client that keeps the conversation: its request, the answer, and one more question. */
function goesOn(client: PublicClient, asked: Read, answer: Read): object {
  const question = { role: 'user', content: 'And?' };
  if (client.name === 'responses') return { ...asked, input: [...asked.input, ...answer.output, question] };
  const said =
    client.name === 'chat' ? answer.choices[0].message : { role: 'assistant', content: answer.content };
  return { ...asked, messages: [...asked.messages, said, question] };
}

for (const client of publicClients) {
  describe(`tools of the gateway in ${client.name}`, { concurrency: 1 }, () => {
    for (const [name, { listed, input, pair, result }] of Object.entries(uses)) {
      for (const stream of [false, true]) {
        test(`${name}${stream ? ', streamed' : ''}: shown and given back`, async () => {
          stage.say(player(name, input));
          const asked = { ...client.body({ text: 'Hello' }, model), tools: [listed[client.name]], stream };
          const { status, body, raw } = await askPublic(stage.gateway, client, asked);
          assert.equal(status, 200, raw);
          const said = client.read(body);
          assert.equal(said.text.replaceAll('\n\n', ''), 'Let me look.Well then.');
          assert.deepEqual(said.calls, [], 'no call of the client');
          const answer = body as Read;
          if (client.name === 'chat') checkRecord(answer, name, result);
          if (client.name === 'messages') checkPair(answer, stream ? raw : undefined, pair);

          // Everything that was shown is accepted again; nothing runs, and the model reads the result.
          stage.say({ utterances: [{ say: ['Once more.'] }], finish: 'stop', usage });
          const again = await askPublic(
            stage.gateway,
            client,
            goesOn(client, { ...asked, stream: false }, answer),
          );
          assert.equal(again.status, 200, again.raw);
          assert.equal(stage.provider.seen.length, 1);
          if (client.name !== 'messages' || pair !== undefined) {
            assert.match(JSON.stringify(stage.lastSeen.turns), result);
          }
        });
      }
    }
  });
}

/** Chat shows a call of the gateway as a record among the details, and nowhere else. */
function checkRecord(answer: Read, name: string, result: RegExp): void {
  const { message, finish_reason } = answer.choices[0];
  assert.equal(finish_reason, 'stop');
  assert.equal(message.tool_calls, undefined);
  const records = message.reasoning_details.filter(({ type }: Read) => type === 'reasoning.server_tool_call');
  assert.deepEqual(
    records.map(({ tool_name }: Read) => tool_name.replace(/\W/g, '_')),
    [name],
  );
  assert.match(records[0].result, result);
}

/** Messages shows a call and its result as two blocks in a row, or nothing where it has no form for them. */
function checkPair(answer: Read, stream: string | undefined, pair: Use['pair']): void {
  // The reader fails where blocks overlap.
  if (stream !== undefined) checkMessageStream(stream);
  const kinds = answer.content.map(({ type, name }: Read) =>
    type === 'server_tool_use' ? [type, name] : type,
  );
  const shown = pair === undefined ? [] : [['server_tool_use', pair[0]], pair[1]];
  assert.deepEqual(kinds, ['text', ...shown, 'text']);
  if (pair === undefined) return;
  const [, use, result] = answer.content;
  assert.match(use.id, /^srvtoolu_/);
  assert.equal(result.tool_use_id, use.id);
}

test('while a tool runs, chat shows nothing but comments', async () => {
  const slow = await startSite((_seen, response) => {
    // Time for several comments, also where timers come late.
    setTimeout(() => response.end('High water at noon.'), 1_500);
  });
  const { tools } = configOf({ models: [] });
  const egress = { ...tools.egress, allow: [`127.0.0.1:${slow.port}`] };
  const own = await setStage(openaiChat, { tools: { ...tools, egress } });
  own.gateway.setServer({ keepAlive: 100 });
  try {
    own.say(player('service_web_fetch', `{"url":"${slow.url}/page"}`));
    const chat = publicClients.find(({ name }) => name === 'chat');
    assert.ok(chat);
    const body = {
      ...chat.body({ text: 'Hello' }, model),
      tools: [{ type: 'service:web_fetch' }],
      stream: true,
    };
    const { raw } = await askPublic(own.gateway, chat, body);
    const from = raw.indexOf('look.');
    const between = raw.slice(raw.indexOf('\n\n', from) + 2, raw.indexOf('reasoning.server_tool_call'));
    const lines = between.split('\n\n').slice(0, -1);
    assert.ok(lines.length >= 2, between);
    for (const line of lines) assert.match(line, /^: /);
  } finally {
    await own.strike();
    await slow[Symbol.asyncDispose]();
  }
});

test('tools that an answer of the dialect has no form for are refused by name', async () => {
  const refused: Readonly<Record<string, readonly object[]>> = {
    chat: [
      { type: 'service:tool_search' },
      { type: 'service:apply_patch' },
      { type: 'service:shell' },
      { type: 'service:bash' },
      { type: 'custom', name: 'patch' },
    ],
    messages: [
      { type: 'service:subagent' },
      { type: 'service:fusion' },
      { type: 'service:files' },
      { type: 'service:apply_patch' },
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
    ],
  };
  stage.say({ utterances: [{ say: ['Never.'] }], finish: 'stop', usage });
  for (const client of publicClients) {
    for (const tool of refused[client.name] ?? []) {
      const body = { ...client.body({ text: 'Hello' }, model), tools: [tool] };
      const { status, raw } = await askPublic(stage.gateway, client, body);
      assert.equal(status, 400, `${client.name} ${JSON.stringify(tool)}: ${raw}`);
      assert.match(raw, /tools\[0\]/);
    }
  }
  assert.equal(stage.provider.seen.length, 0, 'no provider was asked');
});
