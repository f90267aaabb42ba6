import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../test/support/request-parsing.ts';

const off = { enabled: false };

/** Plugins and the exact answer to them, or its beginning (docs/spec/requests.md#plugins). */
const refused: readonly (readonly [unknown, string])[] = [
  [{}, 'plugins: expected an array, got an object'],
  [['web'], 'plugins[0]: expected an object, got a string'],
  [[{}], 'plugins[0].id: is required, one of "auto-router", '],
  [[{ id: 'nope' }], 'plugins[0].id: must be one of "auto-router", "auto-beta-router", "moderation", '],
  [[{ id: 'web', enabled: 'no' }], 'plugins[0].enabled: expected a boolean, got a string'],
  [[{ id: 'web', ...off, resuts: 5 }], 'plugins[0].resuts: unknown field, allowed are "id", "enabled", '],
  [[{ id: 'web', max_results: 26 }], 'plugins[0].max_results: must be between 1 and 25, got 26'],
  [[{ id: 'web-fetch', ...off }], 'plugins[0].enabled: unknown field, allowed are "id", "max_uses", '],
  [[{ id: 'moderation', ...off }], 'plugins[0].enabled: unknown field, allowed are "id"'],
  [[{ id: 'auto-beta-router', pin_model: true }], 'plugins[0].pin_model: unknown field, allowed are '],
  [
    [{ id: 'auto-router', cost_tier: 'huge' }],
    'plugins[0].cost_tier: must be one of "low", "medium", "high", "xhigh", "max", got "huge"',
  ],
  [
    [{ id: 'auto-router', cost_quality_tradeoff: 11 }],
    'plugins[0].cost_quality_tradeoff: must be between 0 and 10, got 11',
  ],
  [
    [{ id: 'auto-router', allowed_models: Array(1025).fill('a/*') }],
    'plugins[0].allowed_models: must have at most 1024 entries, got 1025',
  ],
  [
    [{ id: 'auto-router', excluded_models: ['m'.repeat(1025)] }],
    'plugins[0].excluded_models[0]: must be at most 1024 characters, got 1025',
  ],
  [
    [{ id: 'auto-router', ...off, excluded_models: Array(65).fill('m'.repeat(1024)) }],
    'plugins[0].excluded_models: must be at most 65536 characters in all, got 66560',
  ],
  [
    [{ id: 'context-compression', engine: 'zip' }],
    'plugins[0].engine: must be one of "middle-out", got "zip"',
  ],
  [
    [{ id: 'file-parser', pdf: { engine: 'ocr' } }],
    'plugins[0].pdf.engine: must be one of "native", "mistral-ocr", "cloudflare-ai", "pdf-text", got "ocr"',
  ],
  [[{ id: 'file-parser', pdf: { pages: 1 } }], 'plugins[0].pdf.pages: unknown field, allowed are "engine"'],
  [[{ id: 'fusion', analysis_models: [] }], 'plugins[0].analysis_models: must not be empty'],
  [
    [{ id: 'fusion', analysis_models: Array(9).fill('a/b') }],
    'plugins[0].analysis_models: must have at most 8 entries, got 9',
  ],
  [[{ id: 'fusion', max_tool_calls: 17 }], 'plugins[0].max_tool_calls: must be between 1 and 16, got 17'],
  [[{ id: 'fusion', tools: [{}] }], 'plugins[0].tools[0].type: is required, expected a string'],
  [
    [{ id: 'fusion', preset: 'best' }],
    'plugins[0].preset: must be one of "general-high", "general-budget", "general-fast", got "best"',
  ],
  [[{ id: 'pareto-router', max_price: -1 }], 'plugins[0].max_price: must be at least 0, got -1'],
  [
    [{ id: 'pareto-router', min_coding_score: 1.1 }],
    'plugins[0].min_coding_score: must be between 0 and 1, got 1.1',
  ],
  [
    [{ id: 'pareto-router', price_source: 'list' }],
    'plugins[0].price_source: must be one of "prompt", "weighted_avg", got "list"',
  ],
];

for (const [plugins, message] of refused) {
  test(message.slice(0, 90), () => {
    const [status, got] = refusal({ plugins });
    assert.deepEqual([status, got.slice(0, message.length)], [400, message]);
  });
}

test('plugins that a request turns off are accepted; of two entries the last counts', () => {
  const plugins = [
    { id: 'web' },
    { id: 'web', ...off, max_results: 25, user_location: { type: 'approximate', city: 'Brest' } },
    { id: 'auto-router', ...off, allowed_models: ['acme/*'], pin_model: true },
    { id: 'fusion', ...off, tools: [{ type: 'service:web_search', parameters: {} }] },
    { id: 'response-healing', ...off },
  ];
  assert.equal(parse({ plugins }).models.length, 1);
  assert.equal(parse({ plugins: [] }).models.length, 1);
});
