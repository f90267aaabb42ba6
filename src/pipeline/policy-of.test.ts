import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCaller } from '../../test/support/caller.ts';
import { modelOf } from '../../test/support/catalogue.ts';
import { type GuardrailRules, plainRules } from '../core/guardrail.ts';
import { zeroUsd } from '../core/money.ts';
import { combineGuardrails } from '../guardrails/guardrail-directory.ts';
import type { Account } from '../ports/accounts.ts';
import { policyOf } from './evaluate-request.ts';

const acme = modelOf('acme/atlas-4', []);
const globex = modelOf('globex/ibis', []);

function policy(account: Partial<Account>, rules?: Partial<GuardrailRules>) {
  const applied = { id: 'g', name: 'g', scope: 'account', rules: { ...plainRules, ...rules } } as const;
  const guardrails = { of: () => (rules === undefined ? undefined : combineGuardrails([applied])) };
  const location = () => ({ country: undefined, dataRegions: [], region: undefined });
  return policyOf(testCaller(zeroUsd, { account }), { location, guardrails });
}

test('nothing may be kept of a model where the account or a guardrail says so', () => {
  const needs = (account: Partial<Account>, rules?: Partial<GuardrailRules>) =>
    [acme, globex].map((model) => policy(account, rules).zeroRetention?.(model) === true);
  const ofGlobex = { zeroRetention: { globex: true } };
  assert.deepEqual(needs({}), [false, false]);
  assert.deepEqual(needs({ zeroRetention: true }), [true, true]);
  assert.deepEqual(needs({}, ofGlobex), [false, true]);
  assert.deepEqual(needs({ zeroRetention: true }, ofGlobex), [true, true]);
  assert.deepEqual(needs({ zeroRetention: true }, { ignoredProviders: ['south'] }), [true, true]);
});

test('guardrails only tighten what the account says of training, publication and providers', () => {
  const privacy = {
    allowedProviders: ['north'],
    ignoredProviders: ['west'],
    forbidPaidTraining: true,
    forbidFreeTraining: true,
    forbidFreePublication: true,
  };
  const both = policy({ privacy }, { ignoredProviders: ['south'], allowedProviders: ['north', 'east'] });
  assert.deepEqual(both.allowedProviders, [['north'], ['north', 'east']]);
  assert.deepEqual(both.ignoredProviders, ['west', 'south']);
  const forbids = ({ forbidPaidTraining, forbidFreeTraining, forbidFreePublication }: typeof both) => [
    forbidPaidTraining === true,
    forbidFreeTraining === true,
    forbidFreePublication === true,
  ];
  assert.deepEqual(forbids(both), [true, true, true]);
  assert.deepEqual(forbids(policy({}, { ignoredProviders: ['south'] })), [false, false, false]);
  const strict = { enableFreeModelTraining: false, enableFreeModelPublication: false };
  assert.deepEqual(forbids(policy({}, strict)), [false, true, true]);
});
