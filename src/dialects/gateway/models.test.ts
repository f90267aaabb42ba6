import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../../test/support/request-parsing.ts';

test('the model comes first, then the fallbacks, each once', () => {
  const models = ['x/two', 'X/ONE', 'x/two', 'x/three:free'];
  assert.deepEqual(parse({ model: 'x/one', models }).models, ['x/one', 'x/two', 'x/three:free']);
  assert.deepEqual(parse({ model: null, models }).models, ['x/two', 'X/ONE', 'x/three:free']);
});

test('an alias of the service prefix is read as the prefix', () => {
  assert.deepEqual(parse({ model: 'word/auto', models: ['Word/free', 'words/auto'] }).models, [
    'service/auto',
    'service/free',
    'words/auto',
  ]);
  const { spellings } = parse({ model: 'word/auto', models: ['Word/free', 'words/auto'] });
  assert.deepEqual(
    [...(spellings ?? [])],
    [
      ['service/auto', 'word/auto'],
      ['service/free', 'Word/free'],
    ],
  );
});

test('a preset may be named by the model only', () => {
  assert.throws(() => parse({ model: '@preset/fast' }), { code: 'not_found' });
  assert.throws(() => parse({ model: 'x/one', models: ['@preset/fast'] }), { code: 'invalid_request' });
});

test('the presumed model stands in only where none is named', () => {
  const presumed = { defaultModel: 'word/auto' };
  assert.deepEqual(parse({ model: null }, presumed).models, ['service/auto']);
  assert.deepEqual(parse({ model: null, models: ['x/two'] }, presumed).models, ['x/two']);
  assert.throws(() => parse({ model: null }), /^HeadgateError: model: is required/);
});
