import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../scripts/chaos/answer-log.ts';
import { audit, type BookedCall, type Evidence, isClean } from '../../scripts/chaos/audit.ts';

const answer: Answer = {
  phase: 'calm',
  status: 200,
  complete: true,
  streamed: false,
  generationId: 'gen-1',
  cost: 14_000,
  took: 20,
  at: 0,
};
const booked: BookedCall = { id: 'gen-1', cost: 14_000, upstreamId: 'chatcmpl-1', lapsed: false };
const sound: Evidence = {
  answers: [answer],
  booked: [booked],
  calls: new Map([['chatcmpl-1', { id: 'chatcmpl-1', input: 10, output: 2, complete: true }]]),
  differences: [],
  held: new Map([['prepaid', 0n]]),
};

test('books that agree with clients and provider are clean', () => {
  assert.ok(isClean(audit(sound).findings));
});

for (const [name, change] of [
  ['uncharged', { booked: [] }],
  ['costDiffers', { answers: [{ ...answer, cost: 13_999 }] }],
  ['notTheProviders', { booked: [{ ...booked, cost: 0 }], answers: [] }],
  ['chargedTwice', { booked: [booked, { ...booked, id: 'gen-2' }] }],
  ['chargedTwice', { booked: [booked, booked] }],
  ['differences', { differences: [{ subject: 'x' }] }],
  ['held', { held: new Map([['prepaid', 1n]]) }],
  ['tooLong', { answers: [{ ...answer, took: 10_001 }] }],
  ['tooLong', { answers: [{ ...answer, took: 20_001, idempotencyKey: 'k' }] }],
] as const) {
  test(`what must not be is found: ${name} ${Object.keys(change)}`, () => {
    const { findings } = audit({ ...sound, ...change });
    assert.ok(findings[name].length > 0);
    assert.ok(!isClean(findings));
  });
}

test('an answer read again, a lapsed record and a call that died are told, and break nothing', () => {
  const { findings, circumstances } = audit({
    ...sound,
    answers: [answer, answer],
    booked: [booked, { id: 'gen-2', cost: 0, upstreamId: undefined, lapsed: true }],
    calls: new Map([
      ...sound.calls,
      ['chatcmpl-2', { id: 'chatcmpl-2', input: 1, output: 1, complete: false }],
    ]),
  });
  assert.ok(isClean(findings));
  assert.deepEqual(circumstances, {
    answeredUncharged: 1,
    chargedWithoutAnswer: 0,
    lapsed: 1,
    readAgain: 1,
    madeTwice: 0,
  });
});
