import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chatRequestFields } from '../../src/dialects/chat-completions/request/chat-request-schema.ts';
import { messagesRequestFields } from '../../src/dialects/messages/request/messages-request-schema.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { openaiChat } from './openai-chat.ts';
import { dataOf } from './support/public-clients.ts';
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts';

// What becomes of each member of the two dialects. A member of the schemas without an entry here fails.

/** What a request with a member came to, beside one without it. */
interface Seen {
  readonly status: number;
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
  readonly answer: any;
  /** What the provider got; undefined when it was not asked. */
  readonly sent: JsonObject | undefined;
  readonly id: string;
}

/** One member: a value, what stands beside it, and what must follow. */
interface Member {
  readonly value: unknown;
  readonly beside?: JsonObject;
  /**
   * - `sent`: what the provider gets is changed by it.
   * - `left out`: the provider gets the same, and the `translation` stage names it.
   * - a status: the request is refused, in words that name it.
   * - a function: what the gateway does with it.
   */
  readonly becomes: 'sent' | 'left out' | number | ((seen: Seen, bare: Seen) => void | Promise<void>);
}

const usage = { input: 9, output: 7 };
const said = { utterances: [{ say: ['Good day.'] }], finish: 'stop', usage } as const;
const thinking = {
  utterances: [{ think: ['Hm.'] }, { say: ['Good day.'] }],
  finish: 'stop',
  usage,
} as const;
const tool = { type: 'function', function: { name: 'tide', parameters: { type: 'object', properties: {} } } };
const claudeTool = { name: 'tide', input_schema: { type: 'object', properties: {} } };

let chat: ScriptedProvider;
let claude: ScriptedProvider;
let gateway: TestGateway;

before(async () => {
  chat = await startScriptedProvider(openaiChat);
  claude = await startScriptedProvider(anthropicMessages);
  const quirks = {
    imageOutput: true,
    audioOutput: true,
    prediction: true,
    cacheControl: true,
    webSearch: 'web_search_options',
  };
  const rich = providerOf({ slug: 'north', baseUrl: `${chat.url}/v1`, quirks });
  const own = providerOf({ slug: 'claude', adapter: 'anthropic-messages', baseUrl: claude.url });
  const all = {
    outputModalities: ['text', 'image', 'audio'] as const,
    inputModalities: ['text', 'image', 'file'] as const,
    reasoning: { mandatory: false, supportsMaxTokens: true },
  };
  gateway = await startGateway({
    models: [
      { ...modelOf('acme/one', [rich]), ...all },
      { ...modelOf('acme/two', [rich]), ...all },
      { ...modelOf('acme/claude', [own]), ...all, outputModalities: ['text'] },
    ],
  });
});
after(async () => {
  await gateway.stop();
  await Promise.all([chat.close(), claude.close()]);
});

async function ask(path: string, body: JsonObject): Promise<Seen> {
  const provider = body.model === 'acme/claude' ? claude : chat;
  const asked = provider.bodies.length;
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${gateway.key}`,
      'x-service-metadata': 'enabled',
    },
    body: JSON.stringify(body),
  });
  const raw = await response.text();
  return {
    status: response.status,
    raw,
    answer: raw.startsWith('{') ? JSON.parse(raw) : undefined,
    sent: provider.bodies.length > asked ? provider.bodies.at(-1) : undefined,
    id: response.headers.get('x-generation-id') ?? '',
  };
}

const record = ({ id }: Seen) => gateway.storage.generations.find(id);
/** Accepted by both interfaces without an effect (docs/spec/chat.md#request). */
const nothing = ({ status, sent, raw }: Seen, bare: Seen) => {
  assert.equal(status, 200, raw);
  assert.deepEqual(sent, bare.sent);
};
const routes =
  (model: string) =>
  ({ answer, raw }: Seen) =>
    assert.equal(answer?.model, model, raw);

/** Members that are the same in both dialects. */
const common: Readonly<Record<string, Member>> = {
  temperature: { value: 0.5, becomes: 'sent' },
  top_p: { value: 0.5, becomes: 'sent' },
  top_k: { value: 5, becomes: 'sent' },
  cache_control: { value: { type: 'ephemeral' }, becomes: 'sent' },
  models: {
    value: ['acme/two'],
    beside: { model: 'acme/claude', provider: { only: ['north'] } },
    becomes: routes('acme/two'),
  },
  provider: { value: { ignore: ['north', 'claude'] }, becomes: 503 },
  plugins: { value: [{ id: 'nothing-of-ours' }], becomes: 400 },
  route: { value: 'fallback', becomes: nothing },
  session_id: {
    value: 'session-1',
    becomes: async (seen) => assert.equal((await record(seen))?.sessionId, 'session-1'),
  },
  trace: { value: { trace_id: 'trace-1' }, becomes: nothing },
  stop_server_tools_when: { value: [{ type: 'nothing-of-ours' }], becomes: 400 },
  stream: {
    value: true,
    becomes: ({ sent, raw }) => assert.ok(sent?.stream === true && raw.includes('data: ')),
  },
  user: {
    value: 'someone',
    becomes: async (seen) => {
      assert.equal((await record(seen))?.externalUser, 'someone');
      assert.ok(!JSON.stringify(seen.sent).includes('someone'), 'outward it is a pseudonym');
    },
  },
};

const chatMembers: Readonly<Record<string, Member>> = {
  ...common,
  model: { value: 'acme/two', becomes: routes('acme/two') },
  messages: { value: [{ role: 'user', content: 'Something else.' }], becomes: 'sent' },
  min_p: { value: 0.1, becomes: 'sent' },
  top_a: { value: 0.1, becomes: 'sent' },
  frequency_penalty: { value: 0.5, becomes: 'sent' },
  presence_penalty: { value: 0.5, becomes: 'sent' },
  repetition_penalty: { value: 1.5, becomes: 'sent' },
  seed: { value: 7, becomes: 'sent' },
  logit_bias: { value: { 50: -10 }, becomes: 'sent' },
  logprobs: { value: true, becomes: 'sent' },
  top_logprobs: { value: 2, becomes: 'sent' },
  stop: { value: 'END', becomes: 'sent' },
  max_tokens: { value: 77, becomes: 'sent' },
  max_completion_tokens: { value: 77, becomes: 'sent' },
  verbosity: { value: 'low', becomes: 'sent' },
  response_format: { value: { type: 'json_object' }, becomes: 'sent' },
  tools: { value: [tool], becomes: 'sent' },
  tool_choice: { value: 'required', beside: { tools: [tool] }, becomes: 'sent' },
  parallel_tool_calls: { value: false, beside: { tools: [tool] }, becomes: 'sent' },
  reasoning: { value: { effort: 'low' }, becomes: 'sent' },
  reasoning_effort: { value: 'low', becomes: 'sent' },
  include_reasoning: {
    value: false,
    becomes: ({ answer, raw }) => assert.equal(answer?.choices[0].message.reasoning, undefined, raw),
  },
  modalities: { value: ['text', 'image'], becomes: 'sent' },
  image_config: {
    value: { aspect_ratio: '1:1' },
    beside: { modalities: ['text', 'image'] },
    becomes: 'sent',
  },
  audio: { value: { voice: 'alloy', format: 'wav' }, becomes: 422 },
  prediction: { value: { type: 'content', content: 'Good day.' }, becomes: 'sent' },
  web_search_options: {
    value: { search_context_size: 'low' },
    beside: { tools: [{ type: 'web_search' }] },
    becomes: 'sent',
  },
  service_tier: { value: 'default', becomes: 'sent' },
  safety_identifier: { value: 'someone', becomes: 'sent' },
  prompt_cache_key: { value: 'prefix-1', becomes: 'sent' },
  prompt_cache_options: { value: { mode: 'explicit' }, becomes: 'left out' },
  metadata: { value: { 'a[b]': 'brackets' }, becomes: 400 },
  max_tool_calls: { value: 0, becomes: 400 },
  stream_options: {
    value: { include_usage: true },
    beside: { stream: true },
    becomes: ({ raw }) => assert.deepEqual(dataOf(raw).at(-1).choices, []),
  },
  debug: {
    value: { echo_upstream_body: true },
    beside: { stream: true },
    becomes: ({ raw }) => assert.ok(dataOf(raw)[0].debug.echo_upstream_body),
  },
  usage: { value: { include: true }, becomes: nothing },
  transforms: { value: ['anything else'], becomes: 400 },
  n: { value: 2, becomes: 400 },
  store: { value: true, becomes: 400 },
  functions: { value: [{}], becomes: 400 },
  function_call: { value: 'auto', becomes: 400 },
  prompt: { value: 'Hello', beside: { messages: undefined }, becomes: 400 },
};

const messagesMembers: Readonly<Record<string, Member>> = {
  ...common,
  model: { value: 'acme/two', becomes: routes('acme/two') },
  messages: { value: [{ role: 'user', content: 'Something else.' }], becomes: 'sent' },
  // Clients of this format ask for more than a model writes: it is lowered and reported.
  max_tokens: { value: 7, becomes: 'sent' },
  system: { value: 'Be brief.', becomes: 'sent' },
  stop_sequences: { value: ['END'], becomes: 'sent' },
  thinking: { value: { type: 'enabled', budget_tokens: 1024 }, becomes: 'sent' },
  output_config: { value: { effort: 'low' }, becomes: 'sent' },
  output_format: {
    value: { type: 'json_schema', schema: { type: 'object', properties: {} } },
    becomes: 'sent',
  },
  tools: { value: [claudeTool], becomes: 'sent' },
  tool_choice: { value: { type: 'any' }, beside: { tools: [claudeTool] }, becomes: 'sent' },
  context_management: { value: { edits: [{ type: 'clear_tool_uses_20250919' }] }, becomes: 'left out' },
  fallbacks: { value: [{ model: 'acme/two', speed: 'fast' }], becomes: 400 },
  metadata: {
    value: { user_id: 'someone' },
    becomes: async (seen) => {
      assert.equal((await record(seen))?.externalUser, 'someone');
      assert.ok(!JSON.stringify(seen.sent).includes('someone'));
    },
  },
  service_tier: { value: 'standard_only', becomes: 'sent' },
  speed: { value: 'fast', beside: { service_tier: 'standard_only' }, becomes: 422 },
  mcp_servers: { value: [{ url: 'https://mcp.test' }], becomes: 400 },
  thread: { value: { type: 'create' }, becomes: 400 },
};

/** A request with the member, and the same without it. */
async function tryMember(path: string, base: JsonObject, name: string, member: Member): Promise<void> {
  const { value, beside = {}, becomes } = member;
  const bare = await ask(path, { ...base, ...beside });
  const seen = await ask(path, { ...base, ...beside, [name]: value });
  if (typeof becomes === 'function') return becomes(seen, bare);
  if (typeof becomes === 'number') {
    assert.equal(seen.status, becomes, seen.raw);
    assert.ok(seen.answer.error.message.includes(name), seen.raw);
    assert.equal(seen.sent, undefined, 'no provider was asked');
    return;
  }
  assert.equal(seen.status, 200, seen.raw);
  if (becomes === 'sent') assert.notDeepEqual(seen.sent, bare.sent);
  else {
    assert.deepEqual(seen.sent, bare.sent);
    assert.ok(JSON.stringify(seen.answer.service_metadata.pipeline).includes(name), seen.raw);
  }
}

for (const [path, schema, fields, table] of [
  ['/chat/completions', 'ChatRequest', chatRequestFields, chatMembers],
  ['/messages', 'MessagesRequest', messagesRequestFields, messagesMembers],
] as const) {
  describe(`every member of ${path}`, { concurrency: 1 }, () => {
    const base = { model: 'acme/one', messages: [{ role: 'user', content: 'Hello' }] };

    test(`the table has all of ${schema}`, () => {
      assert.deepEqual(
        fields.filter((name) => table[name] === undefined),
        [],
      );
    });

    for (const [name, member] of Object.entries(table)) {
      test(name, async () => {
        const script = name === 'include_reasoning' ? thinking : said;
        chat.play(({ streamed }) => openaiChat.answer(script, streamed));
        await tryMember(path, base, name, member);
      });
    }

    test('a member nobody knows is left out', async () => {
      chat.play(({ streamed }) => openaiChat.answer(said, streamed));
      const bare = await ask(path, base);
      nothing(await ask(path, { ...base, foo: 1 }), bare);
    });
  });
}

test('members that only Messages has go unchanged to a provider of that format', async () => {
  claude.play(({ streamed }) => anthropicMessages.answer(said, streamed));
  const extras = {
    foo: 1,
    diagnostics: { level: 'all' },
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  };
  const body = { model: 'acme/claude', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
  const { status, sent, raw } = await ask('/messages', { ...body, ...extras });
  assert.equal(status, 200, raw);
  assert.partialDeepStrictEqual(sent, extras);
});
