import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BodyBudget } from './body-budget.ts';

const responseOf = () => new ServerResponse(new IncomingMessage(new Socket()));
const full = { code: 'service_unavailable', retryAfter: 1 };
const rules = { bodiesLimit: 10, bodyLimit: 1, headerTimeout: 60_000 };

test('bodies share the bytes there are, and give them back when their answers are over', () => {
  const budget = new BodyBudget(rules);
  const [first, second, third] = [responseOf(), responseOf(), responseOf()];
  const [one, two] = [budget.open(first), budget.open(second)];
  one.take(4);
  two.take(5);
  assert.throws(() => budget.open(third).take(2), full);
  one.take(1);
  first.emit('close');
  assert.throws(() => budget.open(third).take(6), full);
  two.take(5);
  second.emit('close');
  budget.open(responseOf()).take(10);
});

test('a body that is refused gives back at once what it took', () => {
  const budget = new BodyBudget(rules);
  const body = budget.open(responseOf());
  body.take(6);
  assert.throws(() => body.take(5), full);
  budget.open(responseOf()).take(10);
});

test('a body for an answer that is over takes nothing', () => {
  const budget = new BodyBudget(rules);
  const response = responseOf();
  const body = budget.open(response);
  body.take(3);
  response.emit('close');
  body.take(3);
  budget.open(responseOf()).take(10);
});

test('one key has half of the room and one account three quarters', () => {
  const budget = new BodyBudget({ ...rules, bodiesLimit: 100 });
  const open = (key: string, account: string) => budget.open(responseOf(), { key, account });
  open('k1', 'a1').take(50);
  assert.throws(() => open('k1', 'a1').take(1), { ...full, message: /^Your API key holds/ });
  open('k2', 'a1').take(25);
  assert.throws(() => open('k2', 'a1').take(1), { ...full, message: /^Your account holds/ });
  open('k3', 'a2').take(25);
  assert.throws(() => open('k4', 'a3').take(1), { ...full, message: /^This server holds/ });
});

test('a share has room for one body of the largest size', () => {
  const budget = new BodyBudget({ ...rules, bodiesLimit: 100, bodyLimit: 80 });
  budget.open(responseOf(), { key: 'k', account: 'a' }).take(80);
});

test('a body that comes too slowly is given up, and one that stalls as soon as its room is needed', async () => {
  const budget = new BodyBudget({ ...rules, headerTimeout: 100 });
  const given: string[] = [];
  const begin = (name: string) => {
    const body = budget.open(responseOf());
    body.begin((reason) => given.push(`${name} ${reason.code}`));
    return body;
  };
  const stalled = begin('stalled');
  stalled.take(6);
  const whole = begin('whole');
  whole.take(2);
  whole.arrived();
  assert.throws(() => budget.open(responseOf()).take(8), full, 'neither is slow yet');
  while (given.length === 0) {
    await sleep(1);
    try {
      budget.open(responseOf()).take(8);
    } catch {}
  }
  assert.deepEqual(given, ['stalled deadline_exceeded']);
  begin('idle');
  while (given.length === 1) await sleep(1);
  assert.deepEqual(given, ['stalled deadline_exceeded', 'idle deadline_exceeded'], 'whole ones stay');
});
