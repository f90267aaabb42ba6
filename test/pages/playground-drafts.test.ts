import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Model } from '../../clients/headgate-api.ts';
import { type Body, efforts, requestOf, settingsOf } from '../../dashboard/pages/playground/draft.ts';
import {
  linked,
  noDrafts,
  readDrafts,
  settingsAt,
  withColumn,
  withoutColumn,
  withSettings,
  withSettingsForAll,
} from '../../dashboard/pages/playground/kept-drafts.ts';
import { offeredEfforts } from '../../dashboard/pages/playground/offered-efforts.ts';
import { efforts as everyEffort } from '../../src/core/efforts.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const format = { type: 'json_schema', name: 'answer', strict: true, schema };

test('settings of a request become fields that make the same request again', () => {
  const bodies: readonly Body[] = [
    {},
    { instructions: 'Be terse.', temperature: 0, max_output_tokens: 90, reasoning: { effort: 'low' } },
    { tools: [{ type: 'function', name: 'weather' }], text: { format }, provider: { zdr: true } },
    // What the form cannot say stays as it is.
    { reasoning: { effort: 'utmost' }, text: { format: { ...format, name: 'place' } }, top_p: 0.5 },
    { reasoning: { effort: 'high', summary: 'auto' }, text: { format, verbosity: 'low' } },
    { temperature: null, instructions: ' ', max_output_tokens: '9', tools: {}, provider: [], text: 'x' },
  ];
  for (const body of bodies) {
    const draft = { prompt: 'Hi', before: [], preset: undefined, ...settingsOf(body) };
    assert.deepEqual(requestOf(draft, 'a/b'), { body: { model: 'a/b', input: 'Hi', ...body } });
  }
});

test('every effort of the gateway is a choice of the form, and comes back as one', () => {
  assert.deepEqual(efforts, everyEffort);
  for (const effort of efforts) {
    const settings = settingsOf({ reasoning: { effort } });
    assert.deepEqual([settings.effort, settings.more], [effort, '']);
    const own = withSettings(linked(noDrafts, false, 2), 1, settings);
    assert.deepEqual(readDrafts(JSON.stringify(own)), own);
    const { body } = requestOf({ prompt: 'Hi', before: [], preset: undefined, ...settings }, 'a/b') as {
      body: Body;
    };
    assert.deepEqual(body.reasoning, { effort });
  }
});

const reasoner = (id: string, reasoning?: Partial<NonNullable<Model['reasoning']>>) =>
  ({
    id,
    ...(reasoning && { reasoning: { mandatory: false, supported_efforts: null, ...reasoning } }),
  }) as Model;
const listed = [
  reasoner('a/some', { supported_efforts: ['low', 'high'], default_effort: 'low' }),
  reasoner('a/few', { supported_efforts: ['medium'], default_effort: 'medium' }),
  reasoner('a/always', { mandatory: true }),
  reasoner('a/any', {}),
  reasoner('a/never'),
];

test('the form offers the efforts that at least one of the models knows', () => {
  assert.deepEqual(offeredEfforts(['a/some'], listed), { efforts: ['high', 'low'], usual: 'low' });
  assert.deepEqual(offeredEfforts(['a/some:nitro'], listed), { efforts: ['high', 'low'], usual: 'low' });
  assert.deepEqual(offeredEfforts(['a/some', 'a/few', 'a/never'], listed), {
    efforts: ['high', 'medium', 'low'],
    usual: undefined,
  });
  assert.deepEqual(offeredEfforts(['a/never'], listed), { efforts: [], usual: undefined });
  assert.deepEqual(offeredEfforts(['a/any'], listed).efforts, efforts);
  assert.deepEqual(
    offeredEfforts(['a/always'], listed).efforts,
    efforts.filter((effort) => effort !== 'none'),
  );
  // Of the preset's model and of one that is not listed nothing is known: it may know any.
  for (const model of ['', 'other/model'])
    assert.deepEqual(offeredEfforts([model], listed), { efforts, usual: undefined });
});

test('a request without a model needs a preset, which it names', () => {
  const draft = { prompt: 'Hi', before: [], preset: 'terse', ...settingsOf({}) };
  assert.deepEqual(requestOf(draft, ''), { body: { preset: 'terse', input: 'Hi' } });
  assert.deepEqual(requestOf(draft, 'a/b'), { body: { model: 'a/b', preset: 'terse', input: 'Hi' } });
  assert.deepEqual(requestOf({ ...draft, preset: undefined }, ''), {
    fault: 'Name a model in each column.',
  });
});

test('columns have the shared settings while they are linked, and then their own', () => {
  const shared = withSettings(noDrafts, 1, { temperature: '1' });
  assert.equal(settingsAt(shared, 0).temperature, '1');
  const own = withSettings(linked(shared, false, 2), 1, { temperature: '2' });
  assert.deepEqual(
    [0, 1].map((column) => settingsAt(own, column).temperature),
    ['1', '2'],
  );
  const again = withSettings(linked(own, true, 2), 0, { temperature: '3' });
  assert.equal(settingsAt(again, 1).temperature, '3');
  const back = linked(again, false, 2);
  assert.deepEqual(
    [0, 1].map((column) => settingsAt(back, column).temperature),
    ['1', '2'],
    'nothing is lost',
  );
});

test('a new column begins with the settings before it, and a column takes its own away', () => {
  const own = withSettings(linked(noDrafts, false, 2), 1, { effort: 'low' });
  const three = withColumn(own, 2);
  assert.equal(settingsAt(three, 2).effort, 'low');
  assert.equal(settingsAt(withoutColumn(three, 0), 0).effort, 'low');
  const all = withSettingsForAll(three, settingsOf({ temperature: 1 }), 3);
  assert.deepEqual(
    [0, 1, 2].map((column) => settingsAt(all, column)),
    Array.from({ length: 3 }, () => settingsOf({ temperature: 1 })),
  );
});

test('drafts are read as they were stored, and damaged ones as none', () => {
  const own = withSettings(linked({ ...noDrafts, prompt: 'Hi' }, false, 2), 1, { tools: '[' });
  assert.deepEqual(readDrafts(JSON.stringify(own)), own);
  for (const text of [null, '', '[]', '{', '{"columns": 1, "shared": [], "prompt": 2}'])
    assert.deepEqual(readDrafts(text), noDrafts, String(text));
});
