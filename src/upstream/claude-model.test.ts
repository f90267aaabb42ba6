import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claudeTraits } from './claude-model.ts';

test('the version decides, however a provider spells the name', () => {
  const asked = { unthinking: 'disabled', forcedCalls: true };
  const oldest = { budgets: true, adaptive: false, efforts: [], samplers: true, ...asked };

  for (const name of [
    'claude-3-7-sonnet-20250219',
    'claude-sonnet-4-20250514',
    'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    'claude-sonnet-4-5@20250929',
    'my-claude',
  ]) {
    const { longCache, schemas, bothSamplers, prefill, bindsThoughts, systemTurns, ...traits } =
      claudeTraits(name) ?? {};
    assert.deepEqual(traits, oldest, name);
    const late = name.includes('4-5');
    assert.deepEqual([longCache, schemas, bothSamplers, prefill], [late, late, !late, true], name);
    assert.deepEqual([bindsThoughts, systemTurns], [false, false]);
  }
  assert.deepEqual(claudeTraits('claude-opus-4-6')?.efforts, ['low', 'medium', 'high', 'max']);
  assert.equal(claudeTraits('claude-opus-4-6')?.budgets, true);
  assert.equal(claudeTraits('claude-sonnet-4-6')?.prefill, false);
  assert.equal(claudeTraits('claude-opus-4-1-20250805')?.bothSamplers, false);
  for (const name of [
    'claude-opus-4-7',
    'us.anthropic.claude-sonnet-5-5-v1:0',
    'claude-fable-5-1',
    'claude-mythos-preview',
  ]) {
    assert.equal(claudeTraits(name)?.budgets, false, name);
    assert.equal(claudeTraits(name)?.samplers, false, name);
    assert.equal(claudeTraits(name)?.prefill, false, name);
  }
});

test('newer models always think, or can no longer be forced to call', () => {
  const traits: readonly (readonly [string, string | undefined, boolean])[] = [
    ['claude-opus-4-8', 'disabled', true],
    ['claude-opus-5', 'disabled', true],
    ['claude-sonnet-5-20260301', 'disabled', true],
    ['claude-haiku-5-5', 'disabled', true],
    ['global.anthropic.claude-sonnet-5-5', 'between_tools', false],
    ['claude-opus-5-5', undefined, false],
    ['claude-fable-5', undefined, true],
    ['claude-fable-5-1', undefined, false],
    ['claude-mythos-preview', undefined, false],
  ];
  for (const [name, unthinking, forcedCalls] of traits) {
    const known = claudeTraits(name);
    assert.deepEqual([known?.unthinking, known?.forcedCalls], [unthinking, forcedCalls], name);
  }
});

test('the system may speak within a conversation since Opus 4.8, but not with Sonnet 5', () => {
  const takers = [
    'claude-opus-4-8',
    'claude-opus-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5',
  ];
  for (const name of takers) assert.equal(claudeTraits(name)?.systemTurns, true, name);
  const others = ['claude-opus-4-7', 'claude-sonnet-5', 'claude-sonnet-5@20260301', 'claude-mythos-preview'];
  for (const name of others) assert.equal(claudeTraits(name)?.systemTurns, false, name);
});

test('other models have no such traits', () => {
  assert.equal(claudeTraits('amazon.nova-pro-v1:0'), undefined);
});
