import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  altered,
  callOf,
  cutUp,
  restored,
  restoredInBatches,
  translated,
} from '../../test/support/translating.ts';
import type { Delta } from '../core/delta.ts';
import type { Emulation } from '../core/features.ts';
import type { CanonicalChat, TextFormat } from '../core/request.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const format: TextFormat = {
  kind: 'json_schema',
  name: 'place',
  schema,
  description: 'A place.',
  strict: true,
};
const supportOf = (emulated: Emulation) =>
  ({ 'text.json_schema': { emulated }, 'text.json_object': { emulated } }) as const;
const translate = (emulated: Emulation, request: Partial<CanonicalChat> = {}) =>
  translated({ support: supportOf(emulated), request: { format, ...request } });
const textOf = (deltas: readonly Delta[]) =>
  deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
const widths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

test('a schema becomes a function the model must call', () => {
  const translation = translate('forced-tool');
  assert.deepEqual(translation.request.tools, [
    { kind: 'function', name: 'place', description: 'A place.', parameters: schema, strict: true },
  ]);
  assert.deepEqual(translation.request.toolChoice, { kind: 'tool', form: 'function', name: 'place' });
  assert.deepEqual(translation.request.format, { kind: 'text' });
  assert.deepEqual(altered(translation), ['text.format emulated']);
  const deltas: Delta[] = [
    { kind: 'text', block: 0, text: 'Let me see.' },
    ...callOf(1, 'place', '{"city":"Brest"}'),
    { kind: 'finish', reason: 'tool_calls', native: 'tool_use' },
  ];
  assert.deepEqual(restored(translation, deltas), [
    { kind: 'text', block: 1, text: '{"city":"Brest"}' },
    { kind: 'end', block: 1 },
    { kind: 'finish', reason: 'stop', native: 'tool_use' },
  ]);
});

test('a model that does not call is heard all the same', () => {
  const deltas: Delta[] = [
    { kind: 'text', block: 0, text: '{"city":' },
    { kind: 'text', block: 0, text: '"Brest"}' },
    { kind: 'finish', reason: 'stop' },
  ];
  assert.equal(textOf(restored(translate('forced-tool'), deltas)), '{"city":"Brest"}');
});

test('nothing is forced beside other tools, while thinking, or for a schema of no object', () => {
  const others: Partial<CanonicalChat>[] = [
    { tools: [{ kind: 'function', name: 'f' }] },
    { reasoning: { effort: 'low' } },
    { format: { kind: 'json_schema', name: 'list', schema: { type: 'array' } } },
    { format: { kind: 'json_object' } },
  ];
  for (const request of others) {
    const translation = translate('forced-tool', request);
    assert.equal(translation.request.toolChoice.kind, 'auto');
    assert.match(translation.request.instructions ?? '', /JSON/);
  }
  assert.equal(translate('forced-tool', { reasoning: { effort: 'none' } }).request.toolChoice.kind, 'tool');
});

test('a schema is asked for in the instructions, with JSON mode where there is one', () => {
  const { request } = translate('instructed', { instructions: 'Be brief.' });
  assert.match(request.instructions ?? '', /^Be brief\.\n\nAnswer with one JSON value and nothing else/);
  assert.match(request.instructions ?? '', /"city"/);
  assert.deepEqual(request.format, { kind: 'text' });
  const withMode = translated({
    support: { 'text.json_schema': { emulated: 'instructed' } },
    request: { format },
  });
  assert.deepEqual(withMode.request.format, { kind: 'json_object' });
});

test('an endpoint that declares no structured outputs is asked in words', () => {
  const mode = translated({
    endpoint: { supportedParameters: new Set(['response_format']) },
    request: { format },
  });
  assert.deepEqual(mode.request.format, { kind: 'json_object' });
  const none = translated({ endpoint: { supportedParameters: new Set(['tools']) }, request: { format } });
  assert.deepEqual(none.request.format, { kind: 'text' });
});

test('a code fence is taken off wherever the text is cut', () => {
  const json = fc.json().filter((text) => text.trim() === text);
  const opening = fc.constantFrom('```json\n', '```\n', ' \n```JSON  \n');
  const closing = fc.constantFrom('\n```', '\n```\n', '```', '\n\n``` \n', '\n```\nThat is all.');
  fc.assert(
    fc.property(json, opening, closing, widths, (answer, before, after, cuts) => {
      const deltas: Delta[] = [
        { kind: 'text', block: 0, text: before + answer + after },
        { kind: 'finish', reason: 'stop' },
      ];
      assert.equal(textOf(restoredInBatches(translate('instructed'), cutUp(deltas, cuts))), answer);
    }),
  );
});

test('buffered text comes before the call that follows it', () => {
  for (const [said = '', told = ''] of [
    ['\n', '\n'],
    ['```json\n{}\n```\n\n', '{}'],
  ]) {
    const deltas: Delta[] = [
      { kind: 'text', block: 0, text: said },
      { kind: 'call', block: 1, form: 'function', name: 'look' },
      { kind: 'finish', reason: 'tool_calls' },
    ];
    // Unsorted, for the order is what counts.
    const seen = translate('instructed').restore?.(deltas) ?? [];
    assert.deepEqual(
      seen.map(({ kind }) => kind),
      ['text', 'call', 'finish'],
    );
    assert.equal(textOf(seen), told);
  }
});

test('text without a fence passes unchanged, logprobs and all', () => {
  const logprobs = [{ token: '{', logprob: 0, bytes: [123], top_logprobs: [] }];
  const deltas: Delta[] = [{ kind: 'text', block: 0, text: '{', logprobs }];
  assert.deepEqual(restored(translate('instructed'), deltas), deltas);
  fc.assert(
    fc.property(fc.string(), widths, (said, cuts) => {
      const text = `{${said}`;
      const whole: Delta[] = [
        { kind: 'text', block: 0, text },
        { kind: 'end', block: 0 },
      ];
      assert.equal(textOf(restoredInBatches(translate('instructed'), cutUp(whole, cuts))), text);
    }),
  );
});
