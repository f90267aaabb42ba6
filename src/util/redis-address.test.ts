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

test('addresses of sentinels are read', () => {
  assert.deepEqual(readRedisAddress('rediss-sentinel://ann:p%40ss@one,[::1]:7000/my-primary.1/3'), {
    cluster: false,
    tls: true,
    nodes: [
      { host: 'one', port: 26379 },
      { host: '::1', port: 7000 },
    ],
    sentinel: { primary: 'my-primary.1', username: undefined, password: undefined },
    username: 'ann',
    password: 'p@ss',
    database: 3,
  });
  const { sentinel, database } = readRedisAddress(
    'redis-sentinel://one/p?sentinel_username=bob&sentinel_password=a%26b+c=d',
  );
  assert.deepEqual(sentinel, { primary: 'p', username: 'bob', password: 'a&b+c=d' });
  assert.equal(database, 0);
});

test('an address of sentinels without the name of a primary is refused with the reason', () => {
  for (const url of ['redis-sentinel://one', 'redis-sentinel://one/', 'redis-sentinel://one//0'])
    assert.throws(
      () => readRedisAddress(url),
      /lacks the name of the primary: redis-sentinel:.*primary-name/,
      url,
    );
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
    'redis://h/0?sentinel_password=secret',
    'redis://:secret@h/mymaster',
    'redis-cluster://:secret@h/mymaster',
    'redis-sentinel://:secret@h',
    'redis-sentinel://:secret@h/p/x',
    'redis-sentinel://:sec/secret@h/p',
    'redis-sentinel://h/p?password=secret',
    'redis-sentinel://h/p?sentinel_password=%zzsecret',
    'redis-sentinel://h/p?secret',
  ]) {
    assert.throws(
      () => readRedisAddress(url),
      (error) => error instanceof Error && !error.message.includes('secret'),
      url,
    );
  }
});
