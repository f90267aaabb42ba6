import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errorReferenceFile, renderErrorReference } from '../../scripts/error-reference.ts';
import { errorTable, HeadgateError, publicMessage, toHeadgateError } from './errors.ts';

test('docs/errors.md shows the error table as it is', () => {
  const kept = readFileSync(errorReferenceFile, 'utf8');
  assert.equal(kept, renderErrorReference(), 'run "npm run docs" and commit docs/errors.md');
});

test('only statuses the interface lists are used', () => {
  const listed = new Set([400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 429, 500, 502, 503, 524, 529]);
  for (const [code, { status }] of Object.entries(errorTable)) assert.ok(listed.has(status), code);
});

test('the gateway stops at its own failures and moves on after a provider failed', () => {
  for (const [code, { next }] of Object.entries(errorTable)) {
    assert.equal(next === 'stop', !/^(upstream|provider)_/.test(code), code);
  }
});

test('an unexpected error reveals nothing about itself', () => {
  const error = toHeadgateError(new Error('password=hunter2'));
  assert.equal(error.status, 500);
  assert.equal(publicMessage(error), 'Internal server error.');
});

test('a known wait is spelled out', () => {
  const error = new HeadgateError('upstream_rate_limit', 'Slow down.', { retryAfter: 3.2 });
  assert.equal(publicMessage(error), 'Slow down. Please try again in 4 s.');
  const atOnce = new HeadgateError('upstream_rate_limit', 'Slow down.', { retryAfter: 0 });
  assert.equal(publicMessage(atOnce), 'Slow down. Please try again in 1 s.', 'as the header says');
});
