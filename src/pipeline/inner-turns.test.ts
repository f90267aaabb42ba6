import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCaller } from '../../test/support/caller.ts';
import { parse } from '../../test/support/request-parsing.ts';
import type { Answer, AnswerBill, AnswerPart } from '../core/answer-part.ts';
import { HeadgateError } from '../core/errors.ts';
import { zeroUsd } from '../core/money.ts';
import { roomOf } from '../ports/answer-room.ts';
import { createInnerTurns } from './inner-turns.ts';
import type { InferenceCall, Services } from './services.ts';

const request = parse({ model: 'acme/atlas-4', input: 'Hello' });
const inner = { models: ['acme/atlas-4'], canonical: request.canonical };
const bill = { charge: zeroUsd, isByok: false, unpriced: false } as AnswerBill;

function turnsAt(depth: number, ended: Partial<Extract<AnswerPart, { kind: 'ended' }>>) {
  const calls: InferenceCall[] = [];
  const bills: AnswerBill[] = [];
  async function* answer(call: InferenceCall): Answer {
    calls.push(call);
    yield [
      { kind: 'text', block: 0, text: 'Half' },
      { kind: 'ended', at: 0, ...ended },
    ];
    return undefined;
  }
  const parent: InferenceCall = {
    request,
    caller: testCaller(zeroUsd),
    generationId: 'gen-1',
    attribution: {},
    receivedAt: 0,
    signal: new AbortController().signal,
    room: roomOf(1024),
    depth,
  };
  const services = { clock: { now: () => 0 } } as unknown as Services;
  return { take: createInnerTurns(parent, services, answer, (one) => bills.push(one)), calls, bills };
}

test('a turn may be inside of two others, and not of three', async () => {
  const { take, calls } = turnsAt(1, { finish: 'stop', bill });
  assert.equal((await take(inner)).text, 'Half');
  assert.deepEqual([calls[0]?.depth, calls[0]?.requestId], [2, 'gen-1']);
  const deeper = turnsAt(2, { finish: 'stop', bill });
  await assert.rejects(deeper.take(inner), /nested that deep/);
  assert.equal(deeper.calls.length, 0);
});

test('an inner turn that failed after it began is an error, and what it cost is told', async () => {
  const error = new HeadgateError('provider_failed', 'It broke off.');
  const { take, bills } = turnsAt(0, { error, bill });
  await assert.rejects(take(inner), error);
  assert.deepEqual(bills, [bill]);
  const lost = turnsAt(0, { finish: 'stop' });
  await assert.rejects(lost.take(inner), { code: 'service_unavailable' });
});
