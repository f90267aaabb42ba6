import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { parse } from '../../test/support/request-parsing.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import type { Usage } from '../core/usage.ts';
import { MeasuredPrompt } from './measured-prompt.ts';
import { Meter } from './meter.ts';
import { plausibleUsage } from './plausible-usage.ts';

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
  return plausibleUsage(reported, meter, prompt, { model: served, endpoint: first });
}

const verdict = (reported: Usage, facts?: Facts) => judge(reported, facts).implausible;

test('usage that fits what was sent and received is kept as it is', () => {
  const usage: Usage = { uncachedInput: 12, cacheRead: 4_000, output: 9 + 64 };
  assert.deepEqual(judge(usage), { usage, implausible: undefined });
});

test('counts that nothing explains are left out, the others stay', () => {
  const huge = { uncachedInput: 10, cacheRead: 3, output: 1_000_000, reasoning: 5, webSearches: 2 };
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
    implausible: 'output',
  });
  const input = judge({ uncachedInput: 100_000, cacheRead: 3, output: 5 });
  assert.equal(input.implausible, 'input');
  assert.deepEqual(
    [input.usage.uncachedInput, input.usage.cacheRead, input.usage.output],
    [undefined, undefined, 5],
  );
  assert.equal(verdict({ uncachedInput: 100_000, output: 100_000 }), 'both');
});

test('visible output is at most the bytes received and 64', () => {
  assert.equal(verdict({ output: 9 + 64 }), undefined);
  assert.equal(verdict({ output: 9 + 65 }), 'output');
  assert.equal(verdict({ output: 5_000 + 73, reasoning: 5_000 }), undefined);
  assert.equal(verdict({ output: 5_000 + 74, reasoning: 5_000 }), 'output');
  const waves: Delta = { kind: 'text', block: 0, text: '潮'.repeat(100) };
  assert.equal(verdict({ output: 9 + 300 + 64 }, { deltas: [waves] }), undefined);
  assert.equal(verdict({ output: 2_000, imageOutput: 1_990 }), undefined);
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
