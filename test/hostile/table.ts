import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CaseOptions, type CaseResult, waitsOf } from './run-case.ts';

const file = join(import.meta.dirname, '../../docs/resilience.md');
const begin = '<!-- hostile: written by npm run hostile -- --write -->';
const end = '<!-- end of hostile -->';

/** A table of what attacks did, in Markdown. */
export function tableOf(results: readonly CaseResult[]): string {
  const rows = results.map((result) => {
    const { attack, survived, before, peak, child, children, attacked } = result;
    const { without, during, ratio } = waitsOf(result);
    const memory = survived ? `${Math.round(peak)} (+${Math.round(peak - before)})` : 'died';
    const below = children === 0 ? '' : `${Math.round(child)} / ${Math.round(children)}`;
    const errors = `${attacked.errors + attacked.unanswered}`;
    return `| ${attack.title} | ${memory} | ${below} | ${without.toFixed(1)} | ${during.toFixed(1)} | ${ratio.toFixed(1)} | ${errors} | ${attacked.shed} |`;
  });
  return `${[
    '| Attack | peak memory (MiB) | of a child / of all children | others p99 without (ms) | others p99 (ms) | ratio | errors | told to come back |',
    '|---|--:|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n')}\n`;
}

/** Writes the table into docs/resilience.md, in place of the one there. */
export function writeTable(results: readonly CaseResult[], { seconds }: CaseOptions): void {
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < 0) throw new Error(`docs/resilience.md has no section between ${begin} and ${end}`);
  const day = new Date().toISOString().slice(0, 10);
  const section = `${begin}\n\n${seconds} seconds of each attack, ${day}:\n\n${tableOf(results)}\n`;
  writeFileSync(file, text.slice(0, from) + section + text.slice(to));
}
