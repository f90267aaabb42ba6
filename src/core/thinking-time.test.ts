import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainChat, type ReasoningControl } from './request.ts';
import { mayThink, requestTimeoutWhileThinking, usualTimeouts, whileThinking } from './thinking-time.ts';

const chat = (reasoning: ReasoningControl) => plainChat([], { reasoning });
const thinker = { reasoning: { mandatory: false } };

test('a model may think when it is asked to, and when it can and is not asked not to', () => {
  assert.equal(mayThink(chat({ effort: 'low' }), [{}]), true);
  assert.equal(mayThink(chat({ maxTokens: 1024 }), [{}]), true);
  assert.equal(mayThink(chat({ summary: 'auto' }), [{}]), false);
  assert.equal(mayThink(plainChat([]), [{}]), false);
  assert.equal(mayThink(plainChat([]), [{}, thinker]), true);
  assert.equal(mayThink(chat({ effort: 'none' }), [thinker]), false);
});

test('limits that nobody changed are longer then, and no others', () => {
  const long = { connect: 10_000, firstEvent: 600_000, total: 3_600_000, idle: 600_000 };
  assert.deepEqual(whileThinking(usualTimeouts), long);
  assert.deepEqual(whileThinking({ ...usualTimeouts, idle: 61_000 }), { ...long, idle: 61_000 });
  assert.deepEqual(whileThinking({ connect: 1, firstEvent: 2, total: 3, idle: 4 }), {
    connect: 1,
    firstEvent: 2,
    total: 3,
    idle: 4,
  });
  assert.equal(requestTimeoutWhileThinking(600_000), 3_600_000);
  assert.equal(requestTimeoutWhileThinking(500_000), 500_000);
});
