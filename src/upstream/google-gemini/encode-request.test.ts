import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallChanges, createCall, testApiKey } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { CanonicalChat, ContentPart, ImagePart } from '../../core/request.ts';
import { googleGeminiAdapter, vertexGeminiAdapter } from './google-gemini-adapter.ts';

const third = { upstreamModel: 'gemini-3-flash-preview' };
const second = { upstreamModel: 'gemini-2.5-flash' };
const baseUrl = 'https://generativelanguage.googleapis.com/v1beta';

function body(request: Partial<CanonicalChat>, changes: CallChanges = {}) {
  return sentBody(googleGeminiAdapter, { endpoint: third, provider: { baseUrl }, ...changes, request });
}

function configOf(request: Partial<CanonicalChat>, changes: CallChanges = {}) {
  return body(request, changes).generationConfig;
}

test('model and method stand in the path, the key in a header', () => {
  const streamed = googleGeminiAdapter.encode(createCall({ endpoint: third }));
  assert.equal(streamed.path, '/models/gemini-3-flash-preview:streamGenerateContent?alt=sse');
  assert.deepEqual(streamed.headers, { 'x-goog-api-key': testApiKey });
  assert.equal(streamed.streamed, true);
  const whole = googleGeminiAdapter.encode(createCall({ endpoint: third, streamed: false }));
  assert.equal(whole.path, '/models/gemini-3-flash-preview:generateContent');
  const tuned = googleGeminiAdapter.encode(
    createCall({ endpoint: { upstreamModel: 'tunedModels/my model' } }),
  );
  assert.match(tuned.path, /^\/tunedModels\/my%20model:/);
  const vertex = vertexGeminiAdapter.encode(createCall({ endpoint: third }));
  assert.equal(vertex.path, '/publishers/google/models/gemini-3-flash-preview:streamGenerateContent?alt=sse');
  assert.deepEqual(vertex.headers, {});
});

test('a plain request is its contents and nothing else', () => {
  assert.deepEqual(body({}), { contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }] });
});

test('settings have their own names', () => {
  const config = configOf({
    maxOutputTokens: 100,
    sampling: {
      temperature: 1.5,
      topP: 0.9,
      topK: 40,
      frequencyPenalty: 0.5,
      presencePenalty: -0.5,
      seed: 7,
      stop: ['END'],
      topLogprobs: 3,
    },
    outputModalities: ['text', 'image'],
    imageConfig: { aspect_ratio: '16:9', image_size: '2K' },
  });
  assert.deepEqual(config, {
    maxOutputTokens: 100,
    temperature: 1.5,
    topP: 0.9,
    topK: 40,
    frequencyPenalty: 0.5,
    presencePenalty: -0.5,
    seed: 7,
    stopSequences: ['END'],
    responseLogprobs: true,
    logprobs: 3,
    responseModalities: ['TEXT', 'IMAGE'],
    imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
  });
  assert.equal(configOf({ sampling: { topK: 0, topLogprobs: 0 } }), undefined);
});

test('a wanted format is a member, or words where tools leave it no room', () => {
  const schema = { $schema: 'x', type: 'object', properties: { a: { type: 'string' } } };
  const format = { kind: 'json_schema', name: 'answer', schema } as const;
  const tools = [{ kind: 'function', name: 'f' } as const];
  const wanted = {
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
  };
  assert.deepEqual(configOf({ format }), wanted);
  assert.deepEqual(configOf({ format, tools }), wanted);
  assert.deepEqual(configOf({ format: { kind: 'json_object' } }), { responseMimeType: 'application/json' });
  const older = body({ format, tools, instructions: 'Be brief.' }, { endpoint: second });
  assert.equal(older.generationConfig, undefined);
  assert.match(
    JSON.stringify(older.systemInstruction),
    /^\{"parts":\[\{"text":"Be brief\.\\n\\nWhen you answer/,
  );
});

test('a budget ends at the largest one that the model takes', () => {
  const config = configOf({ reasoning: { maxTokens: 100_000 } }, { endpoint: second });
  assert.deepEqual(config, { thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true } });
});

test('the third generation gets a level, the one before a budget, older ones nothing', () => {
  const cases = [
    [third, { effort: 'none' }, { thinkingLevel: 'MINIMAL' }],
    [third, { effort: 'low' }, { thinkingLevel: 'LOW', includeThoughts: true }],
    [third, { effort: 'max', exclude: true }, { thinkingLevel: 'HIGH' }],
    [third, { maxTokens: 600 }, { thinkingLevel: 'MEDIUM', includeThoughts: true }],
    [third, { summary: 'auto' }, { includeThoughts: true }],
    [
      { upstreamModel: 'gemini-3-pro-preview' },
      { effort: 'medium' },
      { thinkingLevel: 'LOW', includeThoughts: true },
    ],
    [
      { upstreamModel: 'gemini-3.1-pro' },
      { effort: 'medium' },
      { thinkingLevel: 'MEDIUM', includeThoughts: true },
    ],
    [{ upstreamModel: 'gemini-3.1-pro' }, { effort: 'none' }, { thinkingLevel: 'LOW' }],
    [
      { upstreamModel: 'gemini-flash-latest' },
      { effort: 'minimal' },
      { thinkingLevel: 'LOW', includeThoughts: true },
    ],
    [{ upstreamModel: 'gemini-3.6-flash' }, { effort: 'none' }, { thinkingLevel: 'MINIMAL' }],
    [{ upstreamModel: 'gemini-3.7-flash' }, { effort: 'none' }, { thinkingLevel: 'LOW' }],
    [{ upstreamModel: 'gemini-flash-lite-latest' }, { effort: 'none' }, { thinkingLevel: 'MINIMAL' }],
    [
      { upstreamModel: 'gemini-3.1-flash-image' },
      { effort: 'medium' },
      { thinkingLevel: 'HIGH', includeThoughts: true },
    ],
    [{ upstreamModel: 'gemini-2.5-flash-image' }, { effort: 'high' }, undefined],
    [second, { effort: 'none' }, { thinkingBudget: 0 }],
    [second, { maxTokens: 1100 }, { thinkingBudget: 1100, includeThoughts: true }],
    [second, { effort: 'high' }, { thinkingBudget: 1024, includeThoughts: true }],
    [{ upstreamModel: 'gemini-2.5-pro' }, { effort: 'none' }, { thinkingBudget: 128 }],
    [{ upstreamModel: 'gemini-2.0-flash' }, { effort: 'high' }, undefined],
    [{ upstreamModel: 'gemma-3-27b-it' }, { effort: 'high' }, undefined],
  ] as const;
  for (const [endpoint, reasoning, thinkingConfig] of cases) {
    const config = configOf({ reasoning, maxOutputTokens: 1200 }, { endpoint });
    const expected = thinkingConfig === undefined ? {} : { thinkingConfig };
    assert.deepEqual(
      config,
      { maxOutputTokens: 1200, ...expected },
      `${endpoint.upstreamModel} ${reasoning}`,
    );
  }
});

test('functions keep their schemas; one strict function has all calls checked', () => {
  const parameters = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] };
  const tide = { kind: 'function', name: 'get_tide', description: 'Tide times', parameters } as const;
  const now = { kind: 'function', name: 'now', parameters: { type: 'object', properties: {} } } as const;
  assert.deepEqual(body({ tools: [tide, now] }).tools, [
    {
      functionDeclarations: [
        { name: 'get_tide', description: 'Tide times', parametersJsonSchema: parameters },
        { name: 'now' },
      ],
    },
  ]);
  assert.deepEqual(body({ tools: [{ ...tide, strict: true }] }).toolConfig, {
    functionCallingConfig: { mode: 'VALIDATED' },
  });
});

test('every way to choose among tools', () => {
  const tools = [
    { kind: 'function', name: 'a' },
    { kind: 'function', name: 'b' },
    { kind: 'hosted', tool: 'web_search', type: 'web_search', settings: {} },
  ] as const;
  const shown = { includeServerSideToolInvocations: true };
  const cases = [
    [{ kind: 'auto' }, shown, true],
    [{ kind: 'none' }, { functionCallingConfig: { mode: 'NONE' } }, false],
    [{ kind: 'required' }, { functionCallingConfig: { mode: 'ANY' }, ...shown }, true],
    [
      { kind: 'tool', form: 'function', name: 'a' },
      { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] }, ...shown },
      true,
    ],
    [
      { kind: 'allowed', mode: 'auto', names: ['b'] },
      { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['b'] } },
      false,
    ],
    [
      { kind: 'allowed', mode: 'required', names: ['b'] },
      { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['b'] } },
      false,
    ],
    [
      { kind: 'allowed', mode: 'required', names: ['b'], hosted: ['web_search'] },
      { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['b'] }, ...shown },
      true,
    ],
    [
      { kind: 'allowed', mode: 'auto', names: [], hosted: ['web_search'] },
      { functionCallingConfig: { mode: 'NONE' }, ...shown },
      true,
    ],
  ] as const;
  for (const [toolChoice, toolConfig, searches] of cases) {
    const sent = body({ tools, toolChoice });
    assert.deepEqual(sent.toolConfig, toolConfig, JSON.stringify(toolChoice));
    assert.equal(JSON.stringify(sent.tools).includes('googleSearch'), searches);
  }
  assert.equal(body({ tools }, { endpoint: second }).toolConfig, undefined);
});

test('hosted tools, and the settings that cannot be sent', () => {
  const search = { kind: 'hosted', tool: 'web_search', type: 'web_search' } as const;
  const code = { kind: 'hosted', tool: 'code_interpreter', type: 'code_interpreter' } as const;
  const blocked = [{ ...search, settings: { filters: { blocked_domains: ['example.test'] } } }];
  const both = [
    { ...search, settings: {} },
    { ...code, settings: { container: { type: 'auto' } } },
  ];
  assert.deepEqual(body({ tools: both }).tools, [{ googleSearch: {} }, { codeExecution: {} }]);
  const opening = body({ tools: both }, { provider: { quirks: { urlContext: true } } });
  assert.deepEqual(opening.tools, [{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }]);
  assert.deepEqual(sentBody(vertexGeminiAdapter, { request: { tools: blocked } }).tools, [
    { googleSearch: { excludeDomains: ['example.test'] } },
  ]);
  const refused = [
    blocked,
    [{ ...search, settings: { filters: { allowed_domains: ['example.test'] } } }],
    [{ ...code, settings: { container: 'cntr_1' } }],
    [{ ...code, settings: { container: { type: 'auto', file_ids: ['file_1'] } } }],
  ];
  for (const tools of refused) {
    assert.throws(
      () => body({ tools }),
      (thrown) => thrown instanceof HeadgateError && thrown.code === 'upstream_invalid_request',
    );
  }
});

test('the tier is sent in the body, or on Vertex in a header', () => {
  assert.equal(body({ serviceTier: 'flex' }, { endpoint: { ...third, tier: 'flex' } }).serviceTier, 'flex');
  assert.equal(body({ serviceTier: 'flex' }).serviceTier, undefined, 'this endpoint has another price');
  assert.equal(body({ serviceTier: 'default' }).serviceTier, 'standard');
  assert.equal(body({ serviceTier: 'auto' }).serviceTier, undefined);
  assert.equal(body({}, { endpoint: { ...third, tier: 'priority' } }).serviceTier, 'priority');
  const vertex = vertexGeminiAdapter.encode(
    createCall({ endpoint: { ...third, tier: 'priority' }, request: { serviceTier: 'priority' } }),
  );
  assert.equal(vertex.body.serviceTier, undefined);
  assert.deepEqual(vertex.headers, { 'x-vertex-ai-llm-shared-request-type': 'priority' });
});

test('the resolution of pictures is sent where all agree', () => {
  const shown = (details: readonly ImagePart['detail'][], ...others: ContentPart[]) => {
    const pictures = details.map(
      (detail): ContentPart => ({ kind: 'image', url: 'data:image/png;base64,iVBORw==', detail }),
    );
    const content = [...pictures, ...others];
    return (changes: CallChanges = {}) =>
      configOf({ items: [{ kind: 'message', role: 'user', content }] }, changes);
  };
  assert.deepEqual(shown(['low', 'low'])(), { mediaResolution: 'MEDIA_RESOLUTION_LOW' });
  assert.deepEqual(shown(['low'])({ endpoint: second }), { mediaResolution: 'MEDIA_RESOLUTION_LOW' });
  assert.deepEqual(shown(['high'])(), { mediaResolution: 'MEDIA_RESOLUTION_HIGH' });
  assert.deepEqual(shown(['original'])(), { mediaResolution: 'MEDIA_RESOLUTION_HIGH' });
  for (const details of [[], ['auto'], ['low', 'auto'], ['low', 'high']] as const) {
    assert.equal(shown(details)(), undefined);
  }
  assert.equal(shown(['low'], { kind: 'video', url: 'https://a.example/a.mp4' })(), undefined);
  assert.equal(shown(['low'])({ endpoint: { upstreamModel: 'gemini-2.5-flash-image' } }), undefined);
  assert.equal(shown(['low'])({ endpoint: { upstreamModel: 'gemma-3-27b-it' } }), undefined);
});

test('of texts to stop at the first five count, and empty ones do not', () => {
  const config = (...stop: string[]) =>
    sentBody(googleGeminiAdapter, { request: { sampling: { stop } } }).generationConfig;
  assert.deepEqual(config('', '1', '2', '3', '4', '5', '6'), { stopSequences: ['1', '2', '3', '4', '5'] });
  assert.equal(config(''), undefined);
});
