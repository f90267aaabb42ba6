import { classifyText } from '../../src/routers/auto/classify-by-rules.ts';
import { labelledPrompts } from './labelled-prompts.ts';
import { accuracyLines, confusionLines, type JudgedPrompt } from './measure-classification.ts';

/** What the rules say of every labelled prompt. */
export function judgeByRules(): readonly JudgedPrompt[] {
  return labelledPrompts().map((prompt) => ({ prompt, found: classifyText(prompt) }));
}

/** How good the rules are, as Markdown. */
export function renderRulesQuality(): string {
  const judged = judgeByRules();
  return [
    '| prompts | number | right | accuracy |',
    '|---|--:|--:|--:|',
    ...accuracyLines(judged),
    '',
    'What prompts that were not tuned on are taken for:',
    '',
    ...confusionLines(judged.filter(({ prompt }) => prompt.part !== 'tuning')),
  ].join('\n');
}
