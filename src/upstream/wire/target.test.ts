import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import type { WireRequest } from '../adapter.ts';
import { addressRequest } from './http-upstream.ts';

const wire: WireRequest = { path: '/x', headers: { 'X-One': 'adapter' }, body: {}, streamed: true };

function headersOf(configured: Record<string, string>, changes: Partial<WireRequest>) {
  const { provider } = createCall({ provider: { headers: configured } }).endpoint;
  return addressRequest(provider, { ...wire, ...changes }, '{}').headers;
}

test('headers the operator configured win over those of the dialect', () => {
  assert.equal(headersOf({ 'x-one': 'operator' }, {})['x-one'], 'operator');
  assert.equal(headersOf({}, {})['x-one'], 'adapter');
});

test('lists hold the words of both, each once', () => {
  const listHeaders = { 'x-flags': ['b', 'c'] };
  assert.equal(headersOf({ 'X-Flags': 'a, b' }, { listHeaders })['x-flags'], 'a,b,c');
  assert.equal(headersOf({}, { listHeaders })['x-flags'], 'b,c');
  assert.equal(headersOf({ 'X-Flags': 'a, b' }, { listHeaders: { 'x-flags': [] } })['x-flags'], 'a,b');
  assert.ok(!('x-flags' in headersOf({}, { listHeaders: { 'x-flags': [] } })));
});
