import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installedTexts } from './installed-texts.ts';
import { measureDetectors } from './measure-detectors.ts';
import { measureHealing } from './measure-healing.ts';
import { measureInjection } from './measure-injection.ts';

const help = `npm run quality -- [options]
  --examples N   generated texts for each detector; default 10000
  --documents N  damaged documents; default 2000
  --seed N       default 1
  --write        writes the tables into docs/quality.md
`;

const { values } = parseArgs({
  options: {
    examples: { type: 'string', default: '10000' },
    documents: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const page = join(import.meta.dirname, '../../docs/quality.md');
const [begin, end] = ['<!-- quality: written by npm run quality -- --write -->', '<!-- end of quality -->'];

if (values.help) process.stdout.write(help);
else main();

/** Measures how well guardrails and healing do their work, and prints it as Markdown. */
function main(): void {
  const seed = Number(values.seed);
  const text = [detectorTable(seed), injectionTables(), healingTable(seed)].join('\n\n');
  process.stdout.write(`${text}\n`);
  if (!values.write) return;
  const old = readFileSync(page, 'utf8');
  const [from, to] = [old.indexOf(begin), old.indexOf(end)];
  if (from < 0 || to < 0) throw new Error(`docs/quality.md has no section between ${begin} and ${end}`);
  writeFileSync(page, `${old.slice(0, from)}${begin}\n\n${text}\n\n${old.slice(to)}`);
}

function detectorTable(seed: number): string {
  const rows = measureDetectors(Number(values.examples), seed).map(
    ({ slug, examples, precision, recall, formats }) => [
      `\`${slug}\``,
      String(examples),
      precision.toFixed(3),
      recall.toFixed(3),
      Math.min(...formats).toFixed(3),
    ],
  );
  const heads = [
    'Detector',
    'texts with a value, and as many without',
    'precision',
    'recall',
    'recall of the worst format',
  ];
  return `### Personal data\n\n${table(heads, rows)}`;
}

function injectionTables(): string {
  const { kinds, patterns, disguised } = measureInjection(installedTexts());
  const share = (found: number, texts: number) => `${((100 * found) / texts).toFixed(1)} %`;
  return [
    '### Prompt injection',
    table(
      ['Texts', 'number', 'found', 'share'],
      kinds.map(({ name, texts, found }) => [name, String(texts), String(found), share(found, texts)]),
    ),
    table(
      ['Sentences of attacks', 'number', 'found', 'by the patterns alone'],
      disguised.map(({ name, texts, found, plainly }) => [
        name,
        String(texts),
        share(found, texts),
        share(plainly, texts),
      ]),
    ),
    table(
      ['Pattern', 'attacks in which it was found'],
      patterns.map(({ name, found }) => [`\`${name}\``, String(found)]),
    ),
  ].join('\n\n');
}

function healingTable(seed: number): string {
  const faults = measureHealing(Number(values.documents), seed);
  const total = (count: 'documents' | 'healed' | 'libraryAlone' | 'worse') =>
    String(faults.reduce((sum, fault) => sum + fault[count], 0));
  const rows = faults.map(({ fault, documents, healed, libraryAlone, worse }) => [
    fault,
    ...[documents, healed, libraryAlone, worse].map(String),
  ]);
  const sums = ['all', total('documents'), total('healed'), total('libraryAlone'), total('worse')];
  return `### Healing\n\n${table(['Fault', 'documents', 'equal after healing', 'equal after the library alone', 'worse'], [...rows, sums])}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, column) => (column === 0 ? '---' : '--:'));
  return [line(heads), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}
