/**
 * Says how well `service/auto` recognises tasks, and writes it into docs/task-classification.md.
 *
 *   npm run classification                                             the rules
 *   npm run classification -- NAME chat http://127.0.0.1:9180/v1       a chat model on this machine
 *                                                                      and two numbers: every so many-th prompt only, and seconds in place of 10
 *   npm run classification -- NAME embedding http://127.0.0.1:9181/v1  an embedding model
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeByModel, type TimedPrompt } from '../test/routers/judge-by-model.ts';
import { accuracyOf, confusionLines, type JudgedPrompt } from '../test/routers/measure-classification.ts';
import { judgeByRules, renderRulesQuality } from '../test/routers/render-rules-quality.ts';
import { putBetween } from './put-between.ts';

const file = join(import.meta.dirname, '..', 'docs', 'task-classification.md');
/** What `routing.auto.classifier_timeout` is without a setting. */
const usualLimit = 300;

const [name, kind, baseUrl, step = '1', seconds = '10'] = process.argv.slice(2);
if (name === undefined) write('rules', renderRulesQuality());
else if ((kind === 'chat' || kind === 'embedding') && baseUrl !== undefined) {
  write(
    kind,
    renderModel(
      name,
      await judgeByModel({ baseUrl, kind, step: Number(step), limit: Number(seconds) * 1_000 }),
    ),
  );
} else {
  process.stderr.write('usage: npm run classification [-- NAME chat|embedding BASE_URL]\n');
  process.exitCode = 2;
}

function write(part: string, text: string): void {
  writeFileSync(file, putBetween(readFileSync(file, 'utf8'), part, text));
  process.stdout.write(`${text}\n`);
}

/** What a model recognised, beside the rules on the same prompts. */
function renderModel(model: string, judged: readonly TimedPrompt[]): string {
  const asksAbout = new Set(judged.map(({ prompt }) => prompt.text));
  const asked = judged.filter(({ by }) => by === 'model');
  const inTime = judged.filter(({ milliseconds }) => milliseconds <= usualLimit).length;
  const times = judged.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const row = (words: string, list: readonly JudgedPrompt[]) => {
    const [heldOut, later] = [accuracyOf(list, 'held_out'), accuracyOf(list, 'later')];
    const cell = ({ right, all, share }: typeof later) =>
      all === 0 ? '-' : `${share.toFixed(3)} (${right} of ${all})`;
    return `| ${words} | ${cell(heldOut)} | ${cell(later)} |`;
  };
  return [
    '| by | held out | written afterwards |',
    '|---|--:|--:|',
    row(`${model}, where it answered`, asked),
    row(`${model}, else the rules`, judged),
    row(
      'rules',
      judgeByRules().filter(({ prompt }) => asksAbout.has(prompt.text)),
    ),
    '',
    `The model classified ${asked.length} of ${judged.length} prompts within ${seconds} s, the rules the others. ${Math.round((100 * inTime) / judged.length)} % took at most ${usualLimit} ms, half of them ${Math.round(median)} ms.`,
    '',
    ...confusionLines(asked),
  ].join('\n');
}
