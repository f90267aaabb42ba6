import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from './route.ts';
import { RouteTable } from './route-table.ts';

const row = (method: Route['method'], path: string): Route => ({
  method,
  path,
  access: 'open',
  handle: () => undefined,
});

const table = new RouteTable([
  row('GET', '/'),
  row('GET', '/keys'),
  row('POST', '/keys'),
  row('GET', '/keys/{hash}'),
  row('DELETE', '/keys/{hash}'),
  row('GET', '/models/user'),
  row('GET', '/models/{author}/{slug}/endpoints'),
  row('POST', '/responses'),
]);

function found(method: string, path: string) {
  const { route, params } = table.find(method, path);
  return [route.method, route.path, params];
}

test('a route is found by method and path, with what is in the path', () => {
  assert.deepEqual(found('GET', '/'), ['GET', '/', {}]);
  assert.deepEqual(found('POST', '/keys'), ['POST', '/keys', {}]);
  assert.deepEqual(found('HEAD', '/keys'), ['GET', '/keys', {}]);
  assert.deepEqual(found('DELETE', '/keys/abc'), ['DELETE', '/keys/{hash}', { hash: 'abc' }]);
  assert.deepEqual(found('GET', '/keys/'), ['GET', '/keys/{hash}', { hash: '' }]);
  const both = { author: 'acme', slug: 'echo' };
  assert.deepEqual(found('GET', '/models/acme/echo/endpoints')[2], both);
  assert.deepEqual(found('GET', '/models/user')[2], {});
});

test('a path may be percent-encoded; what is encoded in a parameter divides nothing', () => {
  assert.deepEqual(found('GET', '/k%65ys'), ['GET', '/keys', {}]);
  assert.deepEqual(found('GET', '/keys/a%2Fb%20c%3F'), ['GET', '/keys/{hash}', { hash: 'a/b c?' }]);
  assert.deepEqual(found('GET', '/models/a/x%252F/endpoints')[2], { author: 'a', slug: 'x%2F' });
});

test('a path that nothing is at, a method it does not take and a wrong encoding are refused', () => {
  for (const path of [
    '/KEYS',
    '//keys',
    '/keys/a/b',
    '/keys;x',
    '/models',
    '*',
    '',
    '/keys%2Fa',
    '/constructor',
  ]) {
    assert.throws(() => table.find('GET', path), { code: 'not_found' }, path);
  }
  const refused = { code: 'method_not_allowed', headers: { allow: 'GET, POST, HEAD' } };
  assert.throws(() => table.find('PUT', '/keys'), refused);
  assert.throws(() => table.find('HEAD', '/responses'), { headers: { allow: 'POST' } });
  assert.throws(() => table.find('GET', '/keys/%zz'), { code: 'invalid_request' });
});
