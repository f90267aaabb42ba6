import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../core/errors.ts';
import type { RouteJudgement } from '../routing/plan.ts';
import type { RanTool } from '../server-tools/server-tool.ts';
import type { CallFacts, SettledFacts } from '../settlement/call-settlement.ts';
import { RequestEvents, type RequestObserver } from './request-events.ts';

test('every observer of an event hears it, in their order, with all that is known; others hear nothing', () => {
  const heard: unknown[] = [];
  const listenTo = (name: keyof RequestObserver, who: string): RequestObserver => ({
    [name]: (...facts: unknown[]) => heard.push([who, name, ...facts]),
  });
  const call = { generationId: 'gen-1' } as CallFacts;
  const plan = { targets: [] } as unknown as RouteJudgement;
  const ran = { type: 'service:datetime', failed: false, time: 1, cost: 0n } as unknown as RanTool;
  const facts = { commitTime: 3 } as SettledFacts;
  const error = new HeadgateError('server');
  const told: { readonly [Name in keyof RequestObserver]-?: Parameters<RequestEvents[Name]> } = {
    turnedAway: [call, error],
    blocked: [[{ type: 'guardrail', name: 'a' }]],
    lookedForCached: [undefined],
    ranTool: [ran],
    settled: [facts],
    routed: [call, plan, true],
    refused: [error],
  };
  for (const [name, given] of Object.entries(told) as [keyof RequestObserver, unknown[]][]) {
    const events = new RequestEvents([listenTo(name, 'first'), {}, listenTo(name, 'second')]);
    for (const [other, others] of Object.entries(told)) {
      (events[other as keyof RequestObserver] as (...facts: unknown[]) => void)(...others);
    }
    assert.deepEqual(heard.splice(0), [
      ['first', name, ...given],
      ['second', name, ...given],
    ]);
  }
});
