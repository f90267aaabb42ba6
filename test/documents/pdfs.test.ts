import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createPdfReader } from '../../src/documents/pdf-reader.ts';
import { IsolatedProcesses } from '../../src/isolation/isolated-processes.ts';
import { pdfCases } from './pdf-cases.ts';

const folder = join(import.meta.dirname, 'pdfs');

test('every PDF has its case', () => {
  const files = readdirSync(folder).map((file) => file.replace(/\.pdf$/, ''));
  assert.deepEqual(files.sort(), pdfCases.map(({ file }) => file).sort());
  assert.ok(new Set(pdfCases.map(({ by }) => by.split(/,| and /)[0])).size >= 15, 'by many producers');
});

describe('PDFs of many producers are read', { concurrency: 2 }, () => {
  const processes = new IsolatedProcesses();
  after(() => processes.close());
  const readPdf = createPdfReader(processes);
  for (const { file, by, pages, has = [], problem } of pdfCases) {
    test(`${file} (${by})`, async () => {
      const bytes = readFileSync(join(folder, `${file}.pdf`));
      const read = await readPdf({ bytes, maxPages: 500, cuts: false }, { time: 300_000, owner: 'one' });
      if ('problem' in read) {
        assert.equal(read.problem, problem);
        return;
      }
      assert.equal(problem, undefined);
      if (pages !== undefined) assert.deepEqual([read.pages.length, read.total], [pages, pages]);
      const text = read.pages.join('\n').normalize('NFKC').replace(/\s+/g, ' ');
      let from = 0;
      for (const wanted of has) {
        const at = text.indexOf(wanted.normalize('NFKC'), from);
        assert.notEqual(at, -1, `"${wanted}" is not behind ${from} of: ${text.slice(0, 2000)}`);
        from = at + wanted.length;
      }
      if (has.length === 0) assert.equal(text.trim(), '');
    });
  }
});
