/** Says how well `service/auto` recognises tasks, and writes it into docs/task-classification.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderRulesQuality } from '../test/routers/render-rules-quality.ts';
import { putBetween } from './put-between.ts';

const file = join(import.meta.dirname, '..', 'docs', 'task-classification.md');

const rules = renderRulesQuality();
writeFileSync(file, putBetween(readFileSync(file, 'utf8'), 'rules', rules));
process.stdout.write(`${rules}\n`);
