import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { catalogue, font, onePage, page, pdfOf, saying, streamOf } from '../../test/support/made-pdf.ts';
import { PdfReader } from './pdf-reader.ts';

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
      const reader = new PdfReader({ time: 4_000, memory: 96 * MiB, threads: 1 });
      try {
        const before = process.memoryUsage.rss();
        let most = 0;
        const watch = setInterval(() => {
          most = Math.max(most, process.memoryUsage.rss() - before);
        }, 10);
        const [outcome, next] = await Promise.all([
          reader.read({ ...whole, bytes }),
          // However slow the machine is.
          reader.read({ ...whole, bytes: saying('I am next.') }, { time: 300_000 }),
        ]);
        clearInterval(watch);
        assert.ok('problem' in outcome || outcome.pages.join('').length < 8 * MiB);
        assert.deepEqual(next, { pages: ['I am next.'], total: 1 });
        assert.ok(most < 600 * MiB, `took ${Math.round(most / MiB)} MiB`);
      } finally {
        await reader.close();
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

test('threads start with the first PDF, are limited, and end when they rest', async () => {
  const reader = new PdfReader({ threads: 2, idle: 50 });
  assert.equal(reader.threads, 0);
  const reading = Array.from({ length: 5 }, (_, index) =>
    reader.read({ ...whole, bytes: saying(`Number ${index}.`) }),
  );
  assert.equal(reader.threads, 2);
  const texts = await Promise.all(reading);
  assert.deepEqual(
    texts.map((text) => 'pages' in text && text.pages[0]),
    [0, 1, 2, 3, 4].map((index) => `Number ${index}.`),
  );
  assert.ok(reader.threads <= 2);
  while (reader.threads > 0) await new Promise((resolve) => setTimeout(resolve, 10));
});

test('who waits is limited in number and in bytes', async () => {
  const bytes = saying('Hello.');
  const reader = new PdfReader({ threads: 1, waiting: 2, waitingBytes: bytes.length * 8 });
  const outcomes = Promise.all(Array.from({ length: 4 }, () => reader.read({ ...whole, bytes })));
  assert.deepEqual(
    (await outcomes).map((outcome) => ('problem' in outcome ? outcome.problem : outcome.pages[0])),
    ['Hello.', 'Hello.', 'Hello.', 'busy'],
  );
  const narrow = new PdfReader({ threads: 1, waitingBytes: bytes.length });
  const some = await Promise.all(Array.from({ length: 3 }, () => narrow.read({ ...whole, bytes })));
  assert.deepEqual(
    some.map((outcome) => 'problem' in outcome && outcome.problem),
    [false, false, 'busy'],
  );
  await Promise.all([reader.close(), narrow.close()]);
});

test('nobody gets a second thread while somebody else waits, and who leaves does not wait', async () => {
  const reader = new PdfReader({ threads: 2 });
  const ended: string[] = [];
  const leaving = new AbortController();
  const read = (owner: string, bytes = saying(owner), signal?: AbortSignal) =>
    reader.read({ ...whole, bytes }, { owner, signal }).then((outcome) => {
      ended.push('problem' in outcome ? outcome.problem : owner);
    });
  // Both threads work for the first owner; what that sent last, and takes long, comes after the other's.
  const all = [read('one'), read('one'), read('one', pagesOf(500)), read('gone', undefined, leaving.signal)];
  all.push(read('other'));
  leaving.abort();
  await Promise.all(all);
  assert.equal(ended[0], 'busy');
  assert.deepEqual(ended.slice(1).toSorted(), ['one', 'one', 'one', 'other']);
  assert.equal(ended.at(-1), 'one');
  await reader.close();
});

test('pages beyond the limit are refused, or left out where that is asked for', async () => {
  const bytes = pagesOf(6);
  const reader = new PdfReader();
  assert.deepEqual(await reader.read({ bytes, maxPages: 5, cuts: false }), {
    problem: 'too_many_pages',
    total: 6,
  });
  const cut = await reader.read({ bytes, maxPages: 2, cuts: true });
  assert.deepEqual(cut, { pages: ['Page.', 'Page.'], total: 6 });
  await reader.close();
});
