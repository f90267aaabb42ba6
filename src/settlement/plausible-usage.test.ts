import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { parse } from '../../test/support/request-parsing.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import { totalInput, type Usage } from '../core/usage.ts';
import { MeasuredPrompt } from './measured-prompt.ts';
import { Meter } from './meter.ts';
import { plausibleUsage } from './plausible-usage.ts';

const pieces = { searches: 20, pictures: 5 };

interface Facts {
  readonly body?: object;
  readonly deltas?: readonly Delta[];
  readonly endpoint?: Partial<Endpoint>;
  readonly model?: Partial<Model>;
}

function judge(reported: Usage, { body = {}, deltas = [], endpoint, model }: Facts = {}) {
  const request = parse({ model: 'acme/atlas-4', input: 'Hi', ...body });
  const meter = new Meter();
  meter.watch([{ kind: 'text', block: 0, text: 'Good day.' }, ...deltas]);
  const base = modelOf('acme/atlas-4', [providerOf({ slug: 'north' })], {
    contextLength: 200_000,
    ...endpoint,
  });
  const served = { ...base, ...model };
  const [first] = served.endpoints;
  assert.ok(first);
  const prompt = new MeasuredPrompt(request.canonical);
  return plausibleUsage(reported, meter, prompt, { model: served, endpoint: first, pieces });
}

const verdict = (reported: Usage, facts?: Facts) => judge(reported, facts).implausible?.join(' ');

test('usage that fits what was sent and received is kept as it is', () => {
  const usage: Usage = { uncachedInput: 12, cacheRead: 4_000, output: 9 + 64 };
  assert.deepEqual(judge(usage), { usage, pictures: 0, implausible: undefined });
});

test('counts that nothing explains are left out, the others stay', () => {
  const huge = { uncachedInput: 10, cacheRead: 3, output: 1_000_000, reasoning: 5, webSearches: 0 };
  assert.deepEqual(judge(huge), {
    usage: {
      ...huge,
      output: undefined,
      reasoning: undefined,
      imageOutput: undefined,
      audioOutput: undefined,
      acceptedPrediction: undefined,
      rejectedPrediction: undefined,
    },
    pictures: 0,
    implausible: ['output'],
  });
  const input = judge({ uncachedInput: 100_000, cacheRead: 3, output: 5 });
  assert.deepEqual(input.implausible, ['input']);
  assert.deepEqual(
    [input.usage.uncachedInput, input.usage.cacheRead, input.usage.output],
    [undefined, undefined, 5],
  );
  assert.equal(verdict({ uncachedInput: 100_000, output: 100_000 }), 'input output');
});

test('visible output is at most the bytes received and 64', () => {
  assert.equal(verdict({ output: 9 + 64 }), undefined);
  assert.equal(verdict({ output: 9 + 65 }), 'output');
  assert.equal(verdict({ output: 5_000 + 73, reasoning: 5_000 }), undefined);
  assert.equal(verdict({ output: 5_000 + 74, reasoning: 5_000 }), 'output');
  const waves: Delta = { kind: 'text', block: 0, text: '潮'.repeat(100) };
  assert.equal(verdict({ output: 9 + 300 + 64 }, { deltas: [waves] }), undefined);
  const draws = { model: { outputModalities: ['text', 'image'] as const } };
  assert.equal(verdict({ output: 2_000, imageOutput: 1_990 }, draws), undefined);
  assert.equal(verdict({ output: 2_000, imageOutput: 1_990 }), 'output');
});

test('searches: none without a tool for them, else as many as the request or the limit allows', () => {
  const searchesOf = (webSearches: number, facts: Facts = {}) => {
    const { usage, implausible } = judge({ uncachedInput: 5, output: 5, webSearches }, facts);
    return [usage.webSearches, implausible?.join(' ')];
  };
  const offering = (settings: object, more: object = {}) => ({
    body: { tools: [{ type: 'web_search', ...settings }], ...more },
  });
  const found: Delta = { kind: 'result', block: 2, fields: { action: { type: 'search', query: 'tide' } } };
  const opened: Delta = { kind: 'result', block: 3, fields: { action: { type: 'open_page', url: 'x' } } };
  assert.deepEqual(searchesOf(0), [0, undefined]);
  assert.deepEqual(searchesOf(1), [0, 'searches']);
  assert.deepEqual(
    searchesOf(1, { body: { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] } }),
    [0, 'searches'],
  );
  assert.deepEqual(searchesOf(20, offering({})), [20, undefined]);
  assert.deepEqual(searchesOf(21, offering({})), [1, 'searches']);
  assert.deepEqual(searchesOf(1e9, { ...offering({}), deltas: [found, found, opened] }), [2, 'searches']);
  assert.deepEqual(searchesOf(4, offering({ max_uses: 3 })), [1, 'searches']);
  assert.deepEqual(searchesOf(3, offering({ max_uses: 3 })), [3, undefined]);
  assert.deepEqual(searchesOf(3, offering({}, { max_tool_calls: 2 })), [1, 'searches']);
  const many = Array.from({ length: 30 }, () => found);
  assert.deepEqual(searchesOf(31, { ...offering({ max_uses: 1e9 }), deltas: many }), [20, 'searches']);
  const always = { endpoint: { provider: providerOf({ slug: 'north', quirks: { webSearch: 'always' } }) } };
  assert.deepEqual(searchesOf(20, always), [20, undefined]);
  assert.deepEqual(searchesOf(21, always), [1, 'searches']);
});

test('pictures count where the model or a tool can make them, and up to the limit', () => {
  const drawn: Delta = { kind: 'result', block: 1, fields: { result: 'AAAA' } };
  const picturesOf = (count: number, facts: Facts = {}) => {
    const { pictures, implausible } = judge(
      { uncachedInput: 5, output: 5 },
      { ...facts, deltas: Array.from({ length: count }, () => drawn) },
    );
    return [pictures, implausible?.join(' ')];
  };
  const draws = { model: { outputModalities: ['text', 'image'] as const } };
  assert.deepEqual(picturesOf(1), [0, 'pictures']);
  assert.deepEqual(picturesOf(5, draws), [5, undefined]);
  assert.deepEqual(picturesOf(6, draws), [5, 'pictures']);
  assert.deepEqual(picturesOf(2, { body: { tools: [{ type: 'image_generation' }] } }), [2, undefined]);
});

test('sound, pictures and long writes that the request cannot have had are plain input', () => {
  const classes = { audioInput: 3, audioCacheRead: 2, imageInput: 4, cacheWriteLong: 6 };
  const claimed = { uncachedInput: 10, cacheRead: 1, cacheWrite: 5, output: 5, ...classes };
  const { usage, implausible } = judge(claimed);
  assert.deepEqual(implausible, ['input']);
  assert.deepEqual(usage, {
    uncachedInput: 13,
    cacheRead: 3,
    cacheWrite: 11,
    output: 5,
    audioInput: 0,
    audioCacheRead: 0,
    imageInput: 0,
    cacheWriteLong: 0,
  });
  assert.equal(totalInput(usage), totalInput(claimed));
  const shown = [
    { type: 'input_image', image_url: 'https://127.0.0.1/a.png' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  ];
  const body = {
    input: [{ role: 'user', content: shown }],
    cache_control: { type: 'ephemeral', ttl: '1h' },
  };
  assert.deepEqual(judge(claimed, { body }), { usage: claimed, pictures: 0, implausible: undefined });
});

test('speech and rejected predictions are limited by what came and what was sent', () => {
  const speech: Delta = { kind: 'audio', data: 'A'.repeat(16_000) };
  const spoken = { uncachedInput: 5, output: 1_000, audioOutput: 1_000 };
  assert.equal(verdict(spoken, { deltas: [speech] }), undefined);
  assert.equal(verdict(spoken), 'output');
  assert.equal(verdict({ ...spoken, output: 90_000, audioOutput: 90_000 }, { deltas: [speech] }), 'output');
  const rejected = { uncachedInput: 5, output: 2_000, rejectedPrediction: 1_990 };
  assert.equal(verdict(rejected), 'output');
});

test('what is no count is unreported, and a context of unknown length has an end', () => {
  for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e308]) {
    const { usage } = judge({ uncachedInput: count, output: count, webSearches: count });
    assert.deepEqual(
      [usage.uncachedInput, usage.output, usage.webSearches],
      [undefined, undefined, undefined],
    );
  }
  const file = {
    input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://127.0.0.1/a.pdf' }] }],
  };
  const unknown = { body: file, endpoint: { contextLength: undefined } };
  assert.equal(verdict({ uncachedInput: 2_097_152, output: 5 }, unknown), undefined);
  assert.equal(verdict({ uncachedInput: 2_097_153, output: 5 }, unknown), 'input');
  const reasons = { model: { reasoning: { mandatory: false } }, body: { max_output_tokens: 1e9 } };
  assert.equal(verdict({ uncachedInput: 5, output: 1_048_577 }, reasons), 'output');
});

test('thoughts that are not told apart are limited by the output limit alone', () => {
  const thinking: Delta = { kind: 'thinking', block: 1, text: 'Hm.' };
  const seal: Delta = { kind: 'seal', block: 1, format: 'openai-responses-v1', encrypted: 'x' };
  for (const delta of [thinking, seal]) {
    assert.equal(verdict({ output: 50_000 }, { deltas: [delta] }), undefined);
    assert.equal(verdict({ output: 131_073 }, { deltas: [delta] }), 'output');
  }
  const reasons = { model: { reasoning: { mandatory: false } } };
  assert.equal(verdict({ output: 50_000 }, reasons), undefined);
  assert.equal(verdict({ output: 50_000 }, { ...reasons, body: { max_output_tokens: 49_999 } }), 'output');
  assert.equal(
    verdict({ output: 50_000 }, { ...reasons, endpoint: { maxCompletionTokens: 49_999 } }),
    'output',
  );
});

test('thoughts may be counted in the whole wherever they are possible', () => {
  const counted = { uncachedInput: 10, output: 900 };
  assert.equal(verdict(counted), 'output');
  assert.equal(verdict({ ...counted, reasoning: 0 }, { body: { reasoning: { effort: 'none' } } }), 'output');
  for (const facts of [
    { body: { reasoning: { effort: 'low' } } },
    { body: { reasoning: { max_tokens: 1024 } } },
    { model: { reasoning: { mandatory: false } } },
  ]) {
    assert.equal(verdict(counted, facts), undefined, JSON.stringify(facts));
    assert.equal(verdict({ ...counted, reasoning: 0 }, facts), undefined, JSON.stringify(facts));
    const endless = { ...facts, endpoint: { maxCompletionTokens: 800 } };
    assert.equal(verdict(counted, endless), 'output', 'the limit holds');
  }
});

test('input is at most the context, and the bytes sent and 4,096', () => {
  assert.equal(verdict({ uncachedInput: 4_096 + 6 }), undefined);
  assert.equal(verdict({ uncachedInput: 4_096 + 7 }), 'input');
  const long = { body: { input: 'a'.repeat(300_000) } };
  assert.equal(verdict({ uncachedInput: 200_000 }, long), undefined);
  assert.equal(verdict({ uncachedInput: 200_001 }, long), 'input');
  const many = { body: { input: '潮'.repeat(10_000) } };
  assert.equal(verdict({ uncachedInput: 30_000 }, many), undefined);
});

test('media and tools of providers make input that no byte explains', () => {
  const content = (part: object) => ({ body: { input: [{ role: 'user', content: [part] }] } });
  const picture = content({ type: 'input_image', image_url: 'https://127.0.0.1/a.png' });
  assert.equal(verdict({ uncachedInput: 16_000 }, picture), undefined);
  assert.equal(verdict({ uncachedInput: 50_000 }, picture), 'input');
  const file = content({ type: 'input_file', file_url: 'https://127.0.0.1/a.pdf' });
  assert.equal(verdict({ uncachedInput: 150_000 }, file), undefined);
  const searching = { body: { tools: [{ type: 'web_search' }] } };
  assert.equal(verdict({ uncachedInput: 900_000, output: 3_000 }, searching), undefined);
  assert.equal(verdict({ uncachedInput: 6_400_000 }, searching), undefined);
  assert.equal(verdict({ uncachedInput: 6_400_001 }, searching), 'input');
});
