import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originForm } from './server.ts';

test('scheme and host are left out, everything else is as it was', () => {
  for (const [target, expected] of [
    ['/', '/'],
    ['/a?b=http://c/d', '/a?b=http://c/d'],
    ['//a/b', '//a/b'],
    ['http://a', '/'],
    ['http://a/', '/'],
    ['http://a?b=c', '/?b=c'],
    ['HTTPS://user:word@a:80/b/c?d=/e', '/b/c?d=/e'],
    ['http://[::1]:8484/b', '/b'],
    ['http://a//b', '//b'],
    ['http://', 'http://'],
    ['http:///a', 'http:///a'],
    ['ftp://a/b', 'ftp://a/b'],
    ['*', '*'],
    ['', ''],
  ] as const) {
    assert.equal(originForm(target), expected, target);
  }
});
