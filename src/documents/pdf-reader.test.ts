import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { catalogue, font, onePage, page, pdfOf, saying, streamOf } from '../../test/support/made-pdf.ts';
import { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { createPdfReader } from './pdf-reader.ts';

const MiB = 1024 * 1024;

const whole = { maxPages: 500, cuts: false };

describe('hostile PDFs end within bounds, and the next one is read', { concurrency: 1 }, () => {
  const blank = deflateSync(Buffer.alloc(256 * MiB, ' '));
  const bombs: Record<string, Buffer> = {
    'a page tree that holds itself': pdfOf([
      catalogue,
      '<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 400 >>',
      '<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R] /Count 200 >>',
    ]),
    'a count of pages that nobody wrote': pdfOf([catalogue, '<< /Type /Pages /Kids [] /Count 2000000000 >>']),
    'a stream that expands a thousand times': onePage(streamOf(blank, '/FlateDecode')),
    'a stream that expands a million times': onePage(
      streamOf(deflateSync(blank), '[/FlateDecode /FlateDecode]'),
    ),
    'a form that draws itself': pdfOf([
      catalogue,
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
      '<< /Length 5 >>\nstream\n/X Do\nendstream',
      '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 11 >>\nstream\n/X Do /X Do\nendstream',
    ]),
    'text without end': onePage(
      streamOf(
        deflateSync(
          `BT /F1 1 Tf ${'(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj '.repeat(400_000)} ET`,
        ),
        '/FlateDecode',
      ),
    ),
    noise: Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(4096, 7)]),
  };
  for (const [name, bytes] of Object.entries(bombs)) {
    test(name, async () => {
      const processes = new IsolatedProcesses({ processes: 1, heap: 96 * MiB, memory: 240 * MiB });
      const readPdf = createPdfReader(processes);
      try {
        const [outcome, next] = await Promise.all([
          readPdf({ ...whole, bytes }, { time: 4_000, owner: 'one' }),
          // However slow the machine is.
          readPdf({ ...whole, bytes: saying('I am next.') }, { time: 300_000, owner: 'other' }),
        ]);
        assert.ok('problem' in outcome || outcome.pages.join('').length < 8 * MiB);
        assert.deepEqual(next, { pages: ['I am next.'], total: 1 });
      } finally {
        await processes.close();
      }
    });
  }
});

/** A PDF of so many equal pages. */
function pagesOf(count: number): Buffer {
  const kids = Array.from({ length: count }, () => '3 0 R').join(' ');
  const content = streamOf(deflateSync('BT /F1 12 Tf 72 700 Td (Page.) Tj ET'), '/FlateDecode');
  return pdfOf([catalogue, `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`, page, content, font]);
}

test('pages beyond the limit are refused, or left out where that is asked for', async () => {
  const bytes = pagesOf(6);
  const processes = new IsolatedProcesses({ processes: 1 });
  const readPdf = createPdfReader(processes);
  const owner = 'one';
  assert.deepEqual(await readPdf({ bytes, maxPages: 5, cuts: false }, { owner }), {
    problem: 'too_many_pages',
    total: 6,
  });
  const cut = await readPdf({ bytes, maxPages: 2, cuts: true }, { owner });
  assert.deepEqual(cut, { pages: ['Page.', 'Page.'], total: 6 });
  await processes.close();
});
