import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '../core/request.ts';
import { pairToolCalls, stillRunning } from './pair-tool-calls.ts';

const rule = { refused: /\W/g, longest: 8 };

function call(callId: string, form: 'function' | 'custom' = 'function'): Item {
  return { kind: 'call', form, callId, name: 'tool', input: '' };
}

function output(callId: string, text = 'done', form: 'function' | 'custom' = 'function'): Item {
  return { kind: 'call_output', form, callId, output: [{ kind: 'text', text }] };
}

function say(role: 'user' | 'assistant', ...texts: string[]): Item {
  return { kind: 'message', role, content: texts.map((text) => ({ kind: 'text', text })) };
}

const thought: Item = { kind: 'reasoning', summary: [], content: ['hm'] };

test('a conversation in order stays as it is', () => {
  const items = [
    say('user', 'a'),
    thought,
    call('x'),
    call('y'),
    output('y'),
    output('x'),
    call('z'),
    output('z'),
  ];
  assert.deepEqual(pairToolCalls(items, rule), items);
  const plain = [say('user', 'a'), say('assistant', 'b')];
  assert.equal(pairToolCalls(plain, rule), plain);
});

test('what stands between parallel calls and their outputs belongs to the same turn', () => {
  const items = [
    call('x'),
    call('w'),
    output('w'),
    thought,
    call('y'),
    output('x'),
    output('y'),
    say('user', 'a'),
  ];
  assert.deepEqual(pairToolCalls(items, rule), [
    call('x'),
    call('w'),
    thought,
    call('y'),
    output('w'),
    output('x'),
    output('y'),
    say('user', 'a'),
  ]);
});

test('a call without an output in time gets a placeholder, and its later output becomes text', () => {
  const items = [
    call('x'),
    call('y'),
    output('y'),
    say('assistant', 'wait'),
    say('user', 'ok'),
    output('x', 'high'),
  ];
  assert.deepEqual(pairToolCalls(items, rule), [
    call('x'),
    call('y'),
    output('y'),
    output('x', stillRunning),
    say('assistant', 'wait'),
    say('user', 'ok'),
    say('user', 'Output of tool call x:', 'high'),
  ]);
  assert.deepEqual(pairToolCalls([call('x')], rule), [call('x'), output('x', stillRunning)]);
});

test('an output a user spoke before still comes in time', () => {
  const items = [call('x'), say('user', 'meanwhile'), output('x')];
  assert.deepEqual(pairToolCalls(items, rule), items);
});

test('a repeated output, or one without a call, becomes text', () => {
  assert.deepEqual(pairToolCalls([call('x'), output('x'), output('x', 'again'), output('v')], rule), [
    call('x'),
    output('x'),
    say('user', 'Output of tool call x:', 'again'),
    say('user', 'Output of tool call v:', 'done'),
  ]);
});

test('no two calls share an id, whatever made them alike', () => {
  const ids = ['f.1', 'f:1', 'f.1', 'f_1_2', '123456789', '12345678x'];
  const items = ids.flatMap((id) => [call(id), output(id, id)]);
  const fitted = ['f_1', 'f_1_2', 'f_1_3', 'f_1_2_2', '12345678', '123456_2'];
  assert.deepEqual(
    pairToolCalls(items, rule),
    fitted.flatMap((id, place) => [call(id), output(id, ids[place])]),
  );
});

test('calls of one id that are open together are answered in their order, and by form', () => {
  const items = [
    call('x'),
    call('x', 'custom'),
    call('x'),
    output('x', '1'),
    output('x', '2'),
    output('x', '3', 'custom'),
  ];
  assert.deepEqual(pairToolCalls(items, rule), [
    call('x'),
    call('x_2', 'custom'),
    call('x_3'),
    output('x', '1'),
    output('x_3', '2'),
    output('x_2', '3', 'custom'),
  ]);
});
