import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AnswerUpload } from './redis-stored-answers.ts';

test('however much was written while Redis is away, it is asked once in each pause', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  const run = () => {
    asked += 1;
    return Promise.reject(new Error('away'));
  };
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 10) {
      t.mock.timers.tick(10);
      await turn();
    }
  };
  const upload = new AnswerUpload(run, { key: 'k', fingerprint: 'f', attempt: 'a' }, 15_000);
  for (let count = 0; count < 20; count += 1) {
    upload.write({ kind: 'body', text: 'x' });
    await pass(10);
  }
  asked = 0;
  await pass(1_500);
  assert.equal(asked, 3);
});
