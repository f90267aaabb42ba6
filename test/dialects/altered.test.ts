import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effort } from '../../src/core/efforts.ts';
import { featuresUsed } from '../../src/translation/features-used.ts';
import { refusedFeature } from '../../src/translation/refusals.ts';
import { translate } from '../../src/translation/translate.ts';
import { createUpstreamRegistry } from '../../src/upstream/registry.ts';
import { createTransport } from '../../src/upstream/wire/transport.ts';
import { Secret } from '../../src/util/secret.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { parse } from '../support/request-parsing.ts';

const upstreams = createUpstreamRegistry({ transport: createTransport() });

type Facts = {
  readonly tier?: 'flex' | 'priority';
  readonly quirks?: Readonly<Record<string, unknown>>;
  /** Those a model is said to have that need not reason. */
  readonly efforts?: readonly Effort[];
};

/** What an endpoint would alter of a request, or that it refuses it. */
function altered(adapter: string, upstreamModel: string, body: object, facts: Facts = {}): readonly string[] {
  const provider = providerOf({
    slug: 'north',
    adapter,
    apiKey: new Secret('k'),
    quirks: facts.quirks ?? {},
  });
  const { tier = 'default' } = facts;
  const plain = modelOf('acme/atlas-4', [provider], { upstreamModel, tier });
  const { efforts: supportedEfforts } = facts;
  const model =
    supportedEfforts === undefined ? plain : { ...plain, reasoning: { mandatory: false, supportedEfforts } };
  const [endpoint] = model.endpoints;
  const support = upstreams.get(adapter)?.support(provider, upstreamModel);
  assert.ok(support && endpoint);
  const { canonical } = parse(body);
  const used = featuresUsed(canonical);
  const refused = refusedFeature(canonical, used, { model, endpoint, support });
  if (refused !== undefined) return [`refused ${refused}`];
  return translate(canonical, used, { model, endpoint, support }).alterations.map(({ field }) => field);
}

const claude = ['anthropic-messages', 'claude-sonnet-4-5'] as const;
const adaptive = ['anthropic-messages', 'claude-opus-4-6'] as const;
const converse = ['amazon-bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0'] as const;
const nova = ['amazon-bedrock', 'amazon.nova-2-lite-v1:0'] as const;
const second = ['google-gemini', 'gemini-2.5-flash'] as const;
const third = ['google-gemini', 'gemini-3-flash'] as const;
const vertex = ['google-vertex', 'gemini-3-flash'] as const;
const responses = ['openai-responses', 'gpt-5'] as const;
const chat = ['openai-chat', 'any'] as const;

const levels = ['high', 'medium', 'low'] as const;
const switches = ['reasoning_effort', 'thinking'] as const;
const reasoning = (effort: string) => ({ reasoning: { effort } });
const search = (settings: object) => ({ tools: [{ type: 'web_search', ...settings }] });
const mcp = (settings: object) => ({
  tools: [{ type: 'mcp', server_label: 'wiki', server_url: 'https://mcp.test', ...settings }],
});
const fn = { type: 'function', name: 'f', parameters: { type: 'object' } };
const marked = (ttl: string) => ({
  type: 'input_text',
  text: 'x',
  cache_control: { type: 'ephemeral', ttl },
});
const marks = (count: number, ttl = '5m') => ({
  input: [{ role: 'user', content: Array.from({ length: count }, () => marked(ttl)) }],
});
const schema = { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } } };

const cases: readonly (readonly [readonly [string, string], object, readonly string[], Facts?])[] = [
  [claude, { temperature: 0.5, top_p: 0.9, top_k: 5 }, ['top_p']],
  [claude, { temperature: 0.5, top_p: 1, top_k: 5 }, []],
  [['anthropic-messages', 'claude-sonnet-4-20250514'], { temperature: 0.5, top_p: 0.9 }, []],
  [claude, { temperature: 1.5 }, ['temperature']],
  [claude, { temperature: 0.5, ...reasoning('high') }, ['temperature']],
  [claude, { temperature: 0.5, ...reasoning('none') }, []],
  [['anthropic-messages', 'claude-opus-4-7'], { temperature: 0.5 }, ['temperature']],
  [claude, reasoning('xhigh'), []],
  [claude, { reasoning: { max_tokens: 2000, summary: 'auto' } }, []],
  [
    claude,
    { reasoning: { max_tokens: 500, summary: 'detailed' } },
    ['reasoning.max_tokens', 'reasoning.summary'],
  ],
  [claude, reasoning('none'), [], { efforts: levels }],
  [claude, { reasoning: { enabled: false }, tool_choice: 'required', tools: [fn] }, [], { efforts: levels }],
  [claude, reasoning('max'), ['reasoning.effort'], { efforts: levels }],
  [converse, reasoning('none'), [], { efforts: levels }],
  [second, reasoning('none'), [], { efforts: levels }],
  [third, reasoning('none'), ['reasoning.effort'], { efforts: levels }],
  [responses, reasoning('none'), ['reasoning.effort'], { efforts: levels }],
  [chat, reasoning('none'), ['reasoning.effort'], { efforts: levels }],
  [chat, reasoning('none'), [], { efforts: levels, quirks: { reasoningControls: ['reasoning'] } }],
  [chat, reasoning('none'), [], { efforts: levels, quirks: { reasoningControls: switches } }],
  [adaptive, reasoning('high'), []],
  [adaptive, reasoning('xhigh'), ['reasoning.effort']],
  [adaptive, reasoning('minimal'), ['reasoning.effort']],
  [claude, marks(4), []],
  [claude, marks(5), ['input[0].content[0]']],
  [claude, search({ max_uses: 2, filters: { allowed_domains: ['a.test'] } }), []],
  [claude, search({ search_context_size: 'low' }), ['tools[0]']],
  [claude, mcp({ require_approval: 'never' }), []],
  [claude, mcp({ require_approval: 'always' }), ['refused tool.mcp']],
  [claude, mcp({ require_approval: 'never', headers: { 'x-team': 'a' } }), ['refused tool.mcp']],
  [claude, { tools: [fn], tool_choice: 'required' }, []],
  [claude, { tools: [fn], tool_choice: 'required', ...reasoning('low') }, ['tool_choice']],
  [claude, { service_tier: 'default' }, []],
  [claude, { service_tier: 'scale' }, ['service_tier']],
  [converse, { temperature: 0.5, top_p: 0.9, top_k: 5 }, ['top_p']],
  [nova, { temperature: 0.5, top_p: 0.9 }, []],
  [converse, { temperature: 1.2 }, ['temperature']],
  [converse, marks(1, '1h'), []],
  [['amazon-bedrock', 'anthropic.claude-3-7-sonnet-20250219-v1:0'], marks(1, '1h'), ['input[0].content[0]']],
  [nova, reasoning('medium'), []],
  [nova, reasoning('max'), ['reasoning.effort']],
  [nova, { max_output_tokens: 900, ...reasoning('high') }, ['reasoning.effort']],
  [nova, { reasoning: { max_tokens: 3000 } }, ['reasoning.max_tokens']],
  [['amazon-bedrock', 'meta.llama4'], { temperature: 0.5, top_k: 3 }, ['top_k']],
  [second, { max_output_tokens: 9000, ...reasoning('medium') }, []],
  [second, reasoning('medium'), ['reasoning.effort']],
  [second, { reasoning: { max_tokens: 30_000 } }, ['reasoning.max_tokens']],
  [second, { tools: [fn], ...schema }, ['text.format']],
  [second, schema, []],
  [second, { tools: [fn, { type: 'web_search' }] }, ['refused tool.web_search']],
  [
    second,
    {
      tools: [
        { type: 'custom', name: 'c' },
        { type: 'code_interpreter', container: { type: 'auto' } },
      ],
    },
    ['refused tool.code_interpreter'],
  ],
  [second, { tools: [{ type: 'web_search' }] }, []],
  [second, { presence_penalty: 0.5, top_logprobs: 2 }, ['presence_penalty', 'top_logprobs']],
  [['google-vertex', 'gemini-2.5-pro'], { top_logprobs: 2 }, []],
  [vertex, { frequency_penalty: 0.5, top_logprobs: 2 }, ['frequency_penalty', 'top_logprobs']],
  [['google-gemini', 'gemini-2.0-flash'], { frequency_penalty: 0.5, top_logprobs: 2 }, []],
  [third, { tools: [fn, { type: 'web_search' }] }, []],
  [third, { tools: [fn], ...schema }, []],
  [third, reasoning('low'), []],
  [third, reasoning('none'), ['reasoning.effort']],
  [third, { tools: [{ ...fn, strict: true }] }, []],
  [
    third,
    {
      tools: [
        { ...fn, strict: true },
        { ...fn, name: 'g' },
      ],
    },
    ['tools[0].strict'],
  ],
  [third, { tools: [fn], tool_choice: 'required' }, []],
  [third, search({}), []],
  [third, search({ filters: { allowed_domains: ['a.test'] } }), ['refused tool.web_search']],
  [vertex, search({ filters: { blocked_domains: ['a.test'] } }), []],
  [
    vertex,
    { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] },
    ['refused input.image.file'],
  ],
  [vertex, { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'gs://b/i.png' }] }] }, []],
  [third, { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, []],
  [third, { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }, ['refused tool.code_interpreter']],
  [responses, { temperature: 0.5, ...reasoning('minimal') }, []],
  [chat, { temperature: 0.5, tools: [fn], ...reasoning('low') }, []],
  [chat, reasoning('max'), ['reasoning.effort'], { quirks: { efforts: ['low', 'high'] } }],
  [chat, reasoning('high'), [], { quirks: { efforts: ['low', 'high'] } }],
  [
    chat,
    { max_output_tokens: 5000, ...reasoning('high') },
    [],
    { quirks: { reasoningControls: ['thinking_budget'] } },
  ],
  [chat, reasoning('high'), ['reasoning.effort'], { quirks: { reasoningControls: ['enable_thinking'] } }],
  [chat, reasoning('medium'), [], { quirks: { reasoningControls: ['enable_thinking'] } }],
  [chat, { tools: [fn] }, ['tools'], { quirks: { omit: ['tools'] } }],
];

test('a request is altered only where what goes out means something else', () => {
  for (const [[adapter, model], body, expected, facts] of cases) {
    const got = altered(adapter, model, { input: 'x', ...body }, facts);
    assert.deepEqual(got, expected, `${adapter} ${model} ${JSON.stringify(body)}`);
  }
});

test('a tier is asked for at its own endpoints only, by every dialect', () => {
  for (const [adapter, model] of [claude, converse, third, vertex, responses, chat]) {
    const at = (tier: 'flex' | 'priority' | undefined, service_tier: string) =>
      altered(adapter, model, { input: 'x', service_tier }, tier === undefined ? {} : { tier });
    assert.deepEqual(at(undefined, 'priority'), ['service_tier'], adapter);
    assert.deepEqual(at(undefined, 'flex'), ['service_tier'], adapter);
    assert.deepEqual(at('priority', 'priority'), [], adapter);
    assert.deepEqual(at('priority', 'fast'), [], adapter);
    assert.deepEqual(at(undefined, 'auto'), [], adapter);
    assert.deepEqual(at(undefined, 'default'), [], adapter);
  }
});
