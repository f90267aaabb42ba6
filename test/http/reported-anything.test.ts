import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Price } from '../../src/core/catalogue.ts';
import { type PicoUsd, parsePricePerMillion, parsePricePerUnit } from '../../src/core/money.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { DialectScript, ScriptedAnswer } from '../dialects/dialect-script.ts';
import { dialects } from '../dialects/dialects.ts';
import { plainAnswer, startClaiming } from '../support/claiming-provider.ts';

const million = parsePricePerMillion;

/** What the request cannot have had is a thousand times as dear, so that no ceiling hides it. */
const price: Price = {
  prompt: million(3),
  completion: million(15),
  reasoning: million(20),
  cacheRead: million('0.3'),
  cacheWrite: million('3.75'),
  cacheWriteLong: million(3_000),
  audioInput: million(3_000),
  audioCacheRead: million(3_000),
  audioOutput: million(15_000),
  imageToken: million(3_000),
  imageOutputToken: million(15_000),
  imageOutput: parsePricePerUnit('0.04'),
  request: parsePricePerUnit('0.001'),
  webSearch: parsePricePerUnit('0.01'),
};
const context = 100_000;
const mostOutput = 2_000;
const mostSearches = 256;
const mostPictures = 64;
/** How often a provider with tools of its own may read the context. */
const toolRounds = 32;

/** Every name by which a provider says how much of something was used. */
const names = [
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_cache_hit_tokens', 'cached_tokens'],
  ...[
    'num_cached_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'cache_created_input_tokens',
  ],
  ...['reasoning_tokens', 'citation_tokens', 'num_search_queries', 'input_tokens', 'output_tokens'],
  ...['inputTokens', 'outputTokens', 'totalTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'],
  ...['promptTokenCount', 'candidatesTokenCount', 'cachedContentTokenCount', 'thoughtsTokenCount'],
  ...['totalTokenCount', 'toolUsePromptTokenCount', 'cost', 'total_cost'],
];
/** Those inside others. */
const nested: Readonly<Record<string, readonly string[]>> = {
  prompt_tokens_details: ['cached_tokens', 'cache_write_tokens', 'audio_tokens', 'image_tokens'],
  completion_tokens_details: [
    ...['reasoning_tokens', 'image_tokens', 'audio_tokens'],
    ...['accepted_prediction_tokens', 'rejected_prediction_tokens'],
  ],
  input_tokens_details: ['cached_tokens', 'cache_write_tokens'],
  output_tokens_details: ['reasoning_tokens', 'thinking_tokens'],
  server_tool_use: ['web_search_requests'],
  server_side_tool_usage_details: ['web_search_calls'],
  cache_creation: ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'],
};
const detailLists = [
  'promptTokensDetails',
  'toolUsePromptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
];

const claimed = fc.oneof(
  { weight: 6, arbitrary: fc.nat(10_000) },
  { weight: 4, arbitrary: fc.nat(2_000_000_000) },
  { weight: 3, arbitrary: fc.constantFrom(1e308, 2 ** 53, 2 ** 53 + 2, 1e15, -1, -1e308, 0.5, 1e-9) },
  { weight: 1, arbitrary: fc.constantFrom('7', 'NaN', null, true, [], {}) },
);
const some = <Value>(value: fc.Arbitrary<Value>, keys: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] });
const modality = fc.record({ modality: fc.constantFrom('TEXT', 'AUDIO', 'IMAGE'), tokenCount: claimed });
const usage: fc.Arbitrary<JsonObject> = fc
  .tuple(
    some(claimed, names),
    fc.record(
      Object.fromEntries(Object.entries(nested).map(([name, inner]) => [name, some(claimed, inner)])),
      { requiredKeys: [] },
    ),
    some(fc.array(modality, { maxLength: 4 }), detailLists),
    some(fc.constant([{ ttl: '1h', inputTokens: 50_000 }]), ['cacheDetails']),
  )
  .map((parts) => Object.assign({}, ...parts));

interface Asked {
  readonly stream: boolean;
  readonly search: 'none' | 'any' | number;
  readonly length: number;
  readonly pictures: number;
  /** Pictures that the provider sends back. */
  readonly drawn: number;
}
const asked: fc.Arbitrary<Asked> = fc.record({
  stream: fc.boolean(),
  search: fc.oneof(fc.constantFrom('none' as const, 'any' as const), fc.integer({ min: 1, max: 5 })),
  length: fc.nat(3_000),
  pictures: fc.nat(2),
  drawn: fc.oneof(fc.constant(0), fc.nat(3), fc.constant(80)),
});

/** Whether a dialect takes a tool for searches here, and one with `max_uses`. */
function searchable({ adapter }: DialectScript): { any: boolean; limited: boolean } {
  return { any: /anthropic|gemini|responses/.test(adapter), limited: adapter === 'anthropic-messages' };
}

function bodyOf({ stream, search, length, pictures }: Asked): object {
  const content = [
    { type: 'input_text', text: 'a'.repeat(length + 1) },
    ...Array.from({ length: pictures }, () => ({
      type: 'input_image',
      image_url: `data:image/png;base64,${png}`,
    })),
  ];
  const tool = { type: 'web_search', ...(typeof search === 'number' && { max_uses: search }) };
  return {
    stream,
    input: [{ role: 'user', content }],
    max_output_tokens: mostOutput,
    ...(search !== 'none' && { tools: [tool] }),
  };
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * The most that the request can cost, worked out from nothing but the request and the model. Tokens of pictures are free
 * here, because pictures have a price.
 */
function ceilingOf({ search, length, pictures }: Asked, draws: boolean): bigint {
  const runsTools = search !== 'none';
  const text = length + 1 + 4_096 + 64 + pictures * 16_384;
  const input = runsTools ? context * toolRounds : Math.min(context, text);
  const output = runsTools ? 131_072 : mostOutput;
  const searches = search === 'none' ? 0 : search === 'any' ? mostSearches : search;
  // With tools of the provider pictures and sound may come from anywhere.
  const special = runsTools || pictures > 0 ? (price.imageToken ?? 0n) : 0n;
  const sound = runsTools ? (price.audioInput ?? 0n) : 0n;
  const perInput = [price.prompt, price.cacheWrite ?? 0n, special, sound].reduce(larger);
  const pico =
    BigInt(input) * perInput +
    BigInt(output) * (price.reasoning ?? 0n) +
    BigInt(searches) * (price.webSearch ?? 0n) +
    BigInt(draws ? mostPictures : 0) * (price.imageOutput ?? 0n) +
    (price.request ?? 0n);
  return pico / 1_000n + 1n;
}

const larger = (one: bigint, other: bigint) => (one > other ? one : other) as PicoUsd;

/** Models that write, and where the dialect can make pictures, those that draw too. */
const cases = dialects.flatMap((dialect) =>
  dialect.cannot.has('picture')
    ? [{ dialect, draws: false }]
    : [false, true].map((draws) => ({ dialect, draws })),
);

for (const { dialect, draws } of cases) {
  const name = `${dialect.adapter} (${dialect.model ?? 'any model'}${draws ? ' that draws' : ''})`;
  test(`whatever ${name} claims, no charge is above the ceiling of the request`, async () => {
    await using world = await startClaiming(dialect, price, {
      endpoint: { contextLength: context },
      quirks: dialect.adapter === 'openai-responses' ? { hostedTools: ['web_search'] } : {},
      model: {
        reasoning: { mandatory: false },
        inputModalities: ['text', 'image'],
        outputModalities: draws ? ['text', 'image'] : ['text'],
      },
    });
    const { gateway } = world;
    const can = searchable(dialect);
    let marked = 0;
    await fc.assert(
      fc.asyncProperty(usage, fc.nat(400), asked, async (claims, shown, wish) => {
        const search = !can.any || (typeof wish.search === 'number' && !can.limited) ? 'none' : wish.search;
        const request = { ...wish, search } as const;
        world.claim({ usage: claims, shown }, answerOf(dialect, wish.drawn));
        const before = (await gateway.storage.ledger.balance(gateway.account.id)).spentTotal;
        const response = await gateway.post({ model: 'acme/atlas-4', ...bodyOf(request) });
        const text = await response.text();
        assert.equal(response.status, 200, text);
        const record = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
        assert.ok(record);
        const spent = (await gateway.storage.ledger.balance(gateway.account.id)).spentTotal - before;
        assert.equal(spent, record.cost);
        const most = ceilingOf(request, draws);
        assert.ok(spent > 0n && spent <= most, `${spent} of ${most}: ${text.slice(0, 2_000)}`);
        if (record.implausibleUsage !== undefined) marked += 1;
        for (const count of Object.values(record.usage)) {
          assert.ok(count === undefined || (Number.isSafeInteger(count) && count >= 0), String(count));
        }
      }),
      { numRuns: 50 },
    );
    assert.ok(marked > 0, 'nothing was implausible');
    assert.deepEqual(await gateway.storage.ledger.verify(), []);
  });
}

function answerOf({ cannot }: DialectScript, drawn: number): ScriptedAnswer {
  if (cannot.has('picture')) return plainAnswer;
  const pictures = Array.from({ length: drawn }, () => ({ picture: png }));
  return { ...plainAnswer, utterances: [...plainAnswer.utterances, ...pictures] };
}
