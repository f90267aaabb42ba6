import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalLine } from './create-log.ts';

const sentence = (record: object): unknown => {
  const { msg, ...rest } = JSON.parse(terminalLine(`${JSON.stringify({ level: 30, time: 5, ...record })}\n`));
  assert.deepEqual(rest, { level: 30, time: 5 });
  return msg;
};

test('a request is one sentence on a terminal', () => {
  const call = {
    msg: 'served',
    id: 'gen-1',
    key: 'sk-hg...a',
    model: 'acme/atlas-4',
    status: 200,
    duration: 154,
  };
  const tokens = { input: 10, output: 3 };
  assert.equal(
    sentence({ ...call, ...tokens, provider: 'north', finish: 'stop', cost: 0.0000033 }),
    'served acme/atlas-4 by north: tokens 10 in, 3 out, 154 ms, 0.0000033 USD (gen-1, sk-hg...a)',
  );
  const failures = [{ tag: 'south/eu', reason: 'upstream_credential', code: 'invalid_api_key' }];
  assert.equal(
    sentence({ ...call, ...tokens, provider: 'north', failures, cost: null, worker: 7 }),
    'served acme/atlas-4 by north: south/eu failed (upstream_credential invalid_api_key), tokens 10 in, 3 out, 154 ms, no price (gen-1, sk-hg...a, worker 7)',
  );
  assert.equal(
    sentence({
      ...call,
      msg: 'failed',
      error: 'timeout',
      failures: [{ tag: 'a', reason: 'provider_timeout' }],
      cost: 0,
    }),
    'failed acme/atlas-4: timeout, a failed (provider_timeout), 154 ms, 0 USD (gen-1, sk-hg...a)',
  );
  assert.equal(
    sentence({ ...call, ...tokens, provider: 'north', finish: 'cancelled', cost: 1e-8 }),
    'served acme/atlas-4 by north: the client left, tokens 10 in, 3 out, 154 ms, 0.00000001 USD (gen-1, sk-hg...a)',
  );
});

test('a refusal is one sentence, and nothing in it is an order to the terminal', () => {
  const refused = {
    msg: 'request refused',
    id: 'gen-1',
    client: '192.0.2.1',
    method: 'POST',
    path: '/api/v1/x\u001b[31m',
  };
  assert.equal(
    sentence({ ...refused, status: 401, reason: 'No key.' }),
    'refused POST /api/v1/x\\u001b[31m: 401 No key. (gen-1, 192.0.2.1)',
  );
});

test('other lines, and those with an error, stay as they are', () => {
  for (const record of [
    { msg: 'ready', url: 'x' },
    { msg: 'served', err: { message: 'x' } },
    { msg: 'constructor' },
  ]) {
    const line = `${JSON.stringify(record)}\n`;
    assert.equal(terminalLine(line), line);
  }
  assert.equal(terminalLine('no JSON\n'), 'no JSON\n');
});
