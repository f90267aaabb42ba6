import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { BodyBudget } from './body-budget.ts';

const responseOf = () => new ServerResponse(new IncomingMessage(new Socket()));
const full = { code: 'service_unavailable', retryAfter: 1 };

test('bodies share the bytes there are, and give them back when their answers are over', () => {
  const budget = new BodyBudget(10);
  const [first, second] = [responseOf(), responseOf()];
  const [hold, holdToo] = [budget.open(first), budget.open(second)];
  hold(4);
  holdToo(5);
  assert.throws(() => hold(2), full);
  hold(1);
  first.emit('close');
  assert.throws(() => holdToo(6), full);
  holdToo(5);
  second.emit('close');
  budget.open(responseOf())(10);
});

test('what comes for an answer that is over is not held', () => {
  const budget = new BodyBudget(10);
  const response = responseOf();
  const hold = budget.open(response);
  hold(3);
  response.emit('close');
  hold(3);
  budget.open(responseOf())(10);
});
