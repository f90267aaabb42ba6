import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerMemory } from './answer-memory.ts';

function openIn(memory: AnswerMemory) {
  const ends: string[] = [];
  const room = memory.open(1_000, {
    cutOff: ({ code }) => ends.push(code),
    destroy: () => ends.push('destroyed'),
  });
  return { room, ends };
}

test('once all answers together are over the limit the longest are cut off until the others fit', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const memory = new AnswerMemory(400);
  const [long, longer, short] = [openIn(memory), openIn(memory), openIn(memory)];
  long.room.keep(30);
  longer.room.keep(50);
  short.room.keep(20);
  assert.deepEqual([long.ends, longer.ends, short.ends], [[], [], []]);
  short.room.keep(1);
  assert.deepEqual([long.ends, longer.ends, short.ends], [[], ['answer_cut_off'], []]);
  t.mock.timers.tick(2_000);
  assert.deepEqual(longer.ends, ['answer_cut_off', 'destroyed']);
  short.room.keep(49);
  assert.deepEqual(long.ends, [], 'what is cut off counts no more');
  short.room.keep(1);
  assert.deepEqual([long.ends, short.ends], [[], ['answer_cut_off']]);
});

test('what was cut off and is over in time is not destroyed, and what is over leaves room', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const memory = new AnswerMemory(400);
  const [first, second] = [openIn(memory), openIn(memory)];
  first.room.keep(101);
  assert.deepEqual(first.ends, ['answer_cut_off']);
  first.room.close();
  t.mock.timers.tick(10_000);
  assert.deepEqual(first.ends, ['answer_cut_off']);
  second.room.keep(100);
  second.room.close();
  second.room.close();
  const third = openIn(memory);
  third.room.keep(100);
  assert.deepEqual([second.ends, third.ends], [[], []]);
});

test('what is buffered counts until it is read', () => {
  const memory = new AnswerMemory(300);
  const [one, two] = [openIn(memory), openIn(memory)];
  one.room.buffer(100);
  one.room.buffer(-100);
  two.room.buffer(100);
  assert.deepEqual([one.ends, two.ends], [[], []]);
  one.room.buffer(1);
  assert.deepEqual([one.ends, two.ends], [[], ['answer_cut_off']]);
});

test('only a few answers come to a regular end at the same time; others are broken off', () => {
  const memory = new AnswerMemory(400);
  const all = Array.from({ length: 6 }, () => openIn(memory));
  for (const { room } of all) room.keep(101);
  const ends = all.map(({ ends }) => ends.join());
  assert.deepEqual(ends, [...Array(4).fill('answer_cut_off'), 'destroyed', 'destroyed']);
  for (const { room } of all) room.close();
  const later = openIn(memory);
  later.room.keep(101);
  assert.deepEqual(later.ends, ['answer_cut_off']);
  later.room.close();
});
