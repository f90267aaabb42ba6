import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../../core/errors.ts';
import { checkProviders } from './accounts.ts';

test('slugs and tags of providers pass, also of those not in service; unknown ones are refused', () => {
  checkProviders(['sandbox', 'sandbox/turbo'], new Map());
  assert.throws(() => checkProviders(['sandbox', 'nobody'], new Map()), HeadgateError);
});
