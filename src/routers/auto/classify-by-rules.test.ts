import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { labelledPrompts } from '../../../test/routers/labelled-prompts.ts';
import { accuracyOf } from '../../../test/routers/measure-classification.ts';
import { judgeByRules, renderRulesQuality } from '../../../test/routers/render-rules-quality.ts';
import { assertGrowsEvenly } from '../../../test/support/assert-grows-evenly.ts';
import { taskTags } from '../../core/task-tags.ts';
import { classifyText } from './classify-by-rules.ts';

const document = join(import.meta.dirname, '../../../docs/task-classification.md');

test('every tag has labelled prompts, and a third of them is held out', () => {
  const prompts = labelledPrompts();
  assert.ok(prompts.length >= 600, `${prompts.length} prompts`);
  for (const tag of taskTags) {
    const own = prompts.filter((prompt) => prompt.tag === tag);
    const heldOut = own.filter(({ part }) => part === 'held_out').length;
    const written = own.filter(({ part }) => part !== 'later').length;
    assert.ok(written >= 18 && Math.abs(heldOut - written / 3) < 1, `${tag}: ${heldOut} of ${written}`);
  }
});

test('rules recognise seven of ten prompts that they were not tuned on', () => {
  const judged = judgeByRules();
  for (const part of ['held_out', 'later'] as const) {
    const { share } = accuracyOf(judged, part);
    assert.ok(share >= 0.7, `${part}: ${share}`);
  }
});

test('docs/task-classification.md says what the rules do now; "npm run classification" writes it', () => {
  assert.ok(readFileSync(document, 'utf8').includes(renderRulesQuality()));
});

test('words count whole, in any case, and beside Chinese and Japanese', () => {
  assert.equal(classifyText({ text: 'TRANSLATE THIS' }), 'translation');
  assert.equal(classifyText({ text: '用SQL查询' }), 'code:sql');
  assert.equal(classifyText({ text: 'xtranslatex' }), undefined);
});

test('tools make it a task for an agent, of code where the text speaks of a repository', () => {
  const text = 'now the other one';
  assert.equal(classifyText({ text }), undefined);
  assert.equal(classifyText({ text, hasTools: true }), 'agent:tool_use');
  assert.equal(classifyText({ text: 'fix src/main.ts', hasTools: true, calls: 3 }), 'agent:coding');
});

test('instructions count half', () => {
  const instructions = 'You translate everything into French.';
  assert.equal(classifyText({ text: 'blue', instructions }), 'translation');
  assert.equal(classifyText({ text: 'Summarize this text.', instructions }), 'summarization');
});

test('a long text takes no longer than its beginning and its end', () => {
  const unit = 'a_b c(d, e) you are a how many \n rate (x) write ';
  assertGrowsEvenly(2_400, (size) => {
    for (let time = 0; time < 60; time += 1) classifyText({ text: unit.repeat(size / unit.length) });
  });
  const middle = ' '.repeat(1_000_000);
  assert.equal(classifyText({ text: `Translate this: ${middle}` }), 'translation');
  assert.equal(classifyText({ text: `${middle} summarize the text above` }), 'summarization');
});
