import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Price } from '../../src/core/catalogue.ts';
import { parsePricePerMillion, parsePricePerUnit, parseUsd } from '../../src/core/money.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { anthropicMessages } from '../dialects/anthropic-messages.ts';
import type { DialectScript } from '../dialects/dialect-script.ts';
import { googleGemini } from '../dialects/google-gemini.ts';
import { vertexGemini } from '../dialects/google-vertex.ts';
import { openaiChat } from '../dialects/openai-chat.ts';
import { openaiResponses } from '../dialects/openai-responses.ts';
import { chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { calls } from '../server-tools/tool-world.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { type ClaimingWorld, type Claims, plainAnswer, startClaiming } from '../support/claiming-provider.ts';
import { startGateway } from '../support/gateway.ts';
import { readMetrics } from '../support/read-metrics.ts';

const search = parsePricePerUnit('0.01');
const price: Price = {
  prompt: parsePricePerMillion(3),
  completion: parsePricePerMillion(15),
  webSearch: search,
};
/** 9 tokens in and 2 out, and one search, in nano-USD. */
const tokens = 57_000n;
const oneSearch = 10_000_000n;
const searching = { tools: [{ type: 'web_search' }] };

/** How each dialect says that a provider searched, and whether its requests can ask for that. */
const searchingDialects: readonly {
  readonly dialect: DialectScript;
  readonly claim: (searches: number) => Claims;
  readonly quirks?: JsonObject;
  /** The searches that are charged instead of too many. */
  readonly estimate: number;
}[] = [
  {
    dialect: anthropicMessages,
    claim: (count) => ({ usage: { server_tool_use: { web_search_requests: count } } }),
    estimate: 1,
  },
  {
    dialect: openaiResponses,
    claim: (count) => ({ usage: { server_side_tool_usage_details: { web_search_calls: count } } }),
    quirks: { hostedTools: ['web_search'] },
    estimate: 1,
  },
  {
    dialect: openaiResponses,
    claim: (count) => ({ shown: Math.min(count, 300) }),
    quirks: { hostedTools: ['web_search'] },
    estimate: 256,
  },
  { dialect: googleGemini, claim: (count) => ({ shown: Math.min(count, 300) }), estimate: 1 },
  { dialect: vertexGemini, claim: (count) => ({ shown: Math.min(count, 300) }), estimate: 1 },
  {
    dialect: openaiChat,
    claim: (count) => ({ usage: { num_search_queries: count } }),
    quirks: { webSearch: 'web_search_options' },
    estimate: 1,
  },
];

/** Asks once: the record, what the account has spent by it, the line of the log and the metric. */
async function ask({ gateway }: ClaimingWorld, body: object) {
  const { account, storage } = gateway;
  const [before, seen, counted] = [
    (await storage.ledger.balance(account.id)).spentTotal,
    gateway.log.length,
    await implausibleAnswers(gateway.url),
  ];
  const response = await gateway.post({ model: 'acme/atlas-4', input: 'Hello', ...body });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const record = await storage.generations.find(response.headers.get('x-generation-id') ?? '');
  assert.ok(record);
  const lines = gateway.log.slice(seen).map((line) => JSON.parse(line) as Record<string, unknown>);
  const line = lines.find(({ id }) => id === record.id);
  return {
    record,
    spent: (await storage.ledger.balance(account.id)).spentTotal - before,
    logged: [line?.level, line?.implausible],
    counted: (await implausibleAnswers(gateway.url)) - counted,
  };
}

async function implausibleAnswers(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return readMetrics(text).get('headgate_implausible_usage_total{provider="north"}') ?? 0;
}

const warning = 40;
const information = 30;

for (const { dialect, claim, quirks, estimate } of searchingDialects) {
  const how = Object.keys(claim(1))[0] === 'shown' ? 'shows' : 'counts';
  describe(`searches that ${dialect.adapter} ${how}`, { concurrency: 1 }, () => {
    for (const stream of [false, true]) {
      const way = stream ? 'streamed' : 'whole';
      test(`a million of them are not charged where nobody let it search, ${way}`, async () => {
        await using world = await startClaiming(dialect, price, { quirks });
        world.claim(claim(1_000_000));
        const { record, spent, logged, counted } = await ask(world, { stream });
        assert.deepEqual([record.cost, spent], [tokens, tokens]);
        assert.deepEqual(record.implausibleUsage, ['searches']);
        assert.deepEqual([record.usageEstimated, record.usage.webSearches], [true, 0]);
        assert.deepEqual([logged, counted], [[warning, ['searches']], 1]);
      });

      test(`with a tool for it, more than the limit is the estimate, and fewer are charged, ${way}`, async () => {
        await using world = await startClaiming(dialect, price, { quirks });
        world.claim(claim(1_000_000));
        const many = await ask(world, { ...searching, stream });
        assert.deepEqual([many.record.implausibleUsage, many.counted], [['searches'], 1]);
        assert.deepEqual(many.logged, [warning, ['searches']]);
        assert.deepEqual(
          [many.record.usage.webSearches, many.spent],
          [estimate, tokens + BigInt(estimate) * oneSearch],
        );
        world.claim(claim(3));
        const few = await ask(world, { ...searching, stream });
        assert.deepEqual([few.spent, few.counted], [tokens + 3n * oneSearch, 0]);
        assert.deepEqual(few.logged, [information, undefined]);
        assert.deepEqual([few.record.implausibleUsage, few.record.usageEstimated], [undefined, false]);
      });
    }
  });
}

test('`max_uses` is the most that is charged', async () => {
  await using world = await startClaiming(anthropicMessages, price);
  world.claim({ usage: { server_tool_use: { web_search_requests: 3 } } });
  const within = await ask(world, { tools: [{ type: 'web_search', max_uses: 3 }] });
  assert.deepEqual([within.spent, within.counted], [tokens + 3n * oneSearch, 0]);
  const beyond = await ask(world, { tools: [{ type: 'web_search', max_uses: 2 }] });
  assert.deepEqual([beyond.spent, beyond.counted], [tokens + oneSearch, 1]);
});

test('counts that are no counts are never money', async () => {
  await using world = await startClaiming(anthropicMessages, price);
  for (const count of [-1, 1.5, '7', null, true, [], {}, 1e308, 2 ** 53 + 2, -1e308]) {
    world.claim({
      usage: {
        server_tool_use: { web_search_requests: count },
        cache_creation_input_tokens: count,
        cache_read_input_tokens: count,
      },
    });
    const { spent, record } = await ask(world, searching);
    assert.ok(spent >= tokens && spent <= 2n * tokens + oneSearch, `${count}: ${spent}`);
    assert.equal(spent, record.cost);
  }
  world.claim({ usage: { input_tokens: -5, output_tokens: 1e308 } });
  const { spent, record } = await ask(world, {});
  assert.ok(spent > 0n && spent < 2n * tokens, String(spent));
  assert.deepEqual(record.implausibleUsage, ['output']);
});

test('the fee of an own credential rests on the same bounds', async () => {
  const nothing = parseUsd(0);
  const byok = { feeRate: 0.05, monthlyAllowance: nothing, enterpriseMonthlyAllowance: nothing };
  await using world = await startClaiming(anthropicMessages, price, { config: { byok }, slug: 'anthropic' });
  const boss = await world.gateway.createKey({ kind: 'management', workspaceId: null });
  const own = { provider: 'anthropic', key: 'sk-of-the-account-0123456789', is_required: true };
  assert.equal((await callApi(world.gateway, boss, 'POST', '/byok', own)).status, 200);
  for (const stream of [false, true]) {
    world.claim({ usage: { server_tool_use: { web_search_requests: 1_000_000 } } });
    const { record, spent } = await ask(world, { stream });
    assert.deepEqual([record.isByok, record.listCost, record.implausibleUsage], [true, tokens, ['searches']]);
    assert.equal(spent, tokens / 20n);
  }
});

test('a turn that a tool takes is bounded as every other', async () => {
  await using outer = await startFakeUpstream();
  await using inner = await startFakeUpstream();
  const [north, south] = [
    providerOf({ slug: 'north', baseUrl: `${outer.url}/v1` }),
    providerOf({ slug: 'south', baseUrl: `${inner.url}/v1` }),
  ];
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north]), modelOf('globex/small', [south], { price })],
  });
  try {
    const claimed = {
      prompt_tokens: 9,
      completion_tokens: 1,
      total_tokens: 10,
      num_search_queries: 1_000_000,
    };
    inner.play({
      steps: [
        ...chatStream('Yes.').slice(0, -2),
        chatChunk({}, null, { usage: claimed }),
        'data: [DONE]\n\n',
      ],
    });
    const advice = { type: 'service:advisor', parameters: { model: 'globex/small' } };
    for (const stream of [false, true]) {
      outer.play(calls(['service_advisor', { prompt: 'Shall I?' }]), { steps: chatStream('Well.') });
      const response = await gateway.post({
        model: 'acme/atlas-4',
        input: 'Shall I?',
        tools: [advice],
        stream,
      });
      const text = await response.text();
      assert.match(text, /completed/);
      const id = response.headers.get('x-generation-id') ?? '';
      const turns = await gateway.storage.generations.ofRequest(id);
      const asked = turns.find(({ model }) => model === 'globex/small');
      assert.deepEqual([asked?.implausibleUsage, asked?.cost], [['searches'], 42_000n], text);
    }
  } finally {
    await gateway.stop();
  }
});

test('pictures by the piece: as many as the limit, and none of a model that makes none', async () => {
  const dear: Price = { ...price, imageOutput: parsePricePerUnit('0.04') };
  const many = {
    ...plainAnswer,
    utterances: Array.from({ length: 80 }, () => ({ picture: 'iVBORw0KGgo=' })),
  };
  for (const stream of [false, true]) {
    await using painter = await startClaiming(openaiChat, dear, {
      model: { outputModalities: ['text', 'image'] },
    });
    painter.claim({}, many);
    const drawn = await ask(painter, { stream });
    assert.deepEqual([drawn.record.mediaOutput, drawn.record.implausibleUsage], [64, ['pictures']]);
    assert.deepEqual([drawn.spent, drawn.counted], [tokens + 64n * 40_000_000n, 1]);
    await using writer = await startClaiming(openaiChat, dear);
    writer.claim({}, many);
    const none = await ask(writer, { stream });
    assert.deepEqual([none.spent, none.record.implausibleUsage], [tokens, ['pictures']]);
  }
});

test('sound, pictures and long writes that nobody sent are plain input; sound that never came is plain output', async () => {
  const dear = parsePricePerMillion(1_000);
  const priced: Price = {
    ...price,
    audioInput: dear,
    audioCacheRead: dear,
    imageToken: dear,
    audioOutput: dear,
  };
  await using chat = await startClaiming(openaiChat, { ...priced, imageOutputToken: dear });
  await using messages = await startClaiming(anthropicMessages, { ...price, cacheWriteLong: dear });
  for (const stream of [false, true]) {
    chat.claim({
      usage: {
        prompt_tokens_details: { audio_tokens: 9, image_tokens: 9 },
        completion_tokens_details: { audio_tokens: 1, image_tokens: 1 },
      },
    });
    const spoken = await ask(chat, { stream });
    assert.deepEqual([spoken.spent, spoken.record.implausibleUsage], [tokens, ['input', 'output']]);
    const creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 9 };
    messages.claim({ usage: { input_tokens: 0, cache_creation_input_tokens: 9, cache_creation: creation } });
    const written = await ask(messages, { stream });
    assert.deepEqual([written.spent, written.record.implausibleUsage], [tokens, ['input']]);
  }
});
