import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRedisAddress } from './redis-address.ts';

test('addresses of servers and clusters are read', () => {
  assert.deepEqual(readRedisAddress('redis://127.0.0.1:6380/2'), {
    cluster: false,
    tls: false,
    nodes: [{ host: '127.0.0.1', port: 6380 }],
    username: undefined,
    password: undefined,
    database: 2,
  });
  assert.deepEqual(readRedisAddress('rediss-cluster://ann:p%40ss%3A@one:7000,[::1],three/0'), {
    cluster: true,
    tls: true,
    nodes: [
      { host: 'one', port: 7000 },
      { host: '::1', port: 6379 },
      { host: 'three', port: 6379 },
    ],
    username: 'ann',
    password: 'p@ss:',
    database: 0,
  });
  assert.equal(readRedisAddress('redis://:secret@cache').password, 'secret');
  assert.equal(readRedisAddress('redis://:secret@cache').username, undefined);
});

test('what is no address is refused without being repeated', () => {
  for (const url of [
    'http://:secret@x',
    'redis://',
    'redis://:secret@a,b',
    'redis://:secret@h:port',
    'redis-cluster://:secret@h/1',
    'redis://:%zzsecret@h',
    'redis://:secret@h/0?tls=true',
  ]) {
    assert.throws(
      () => readRedisAddress(url),
      (error) => error instanceof Error && !error.message.includes('secret'),
      url,
    );
  }
});
