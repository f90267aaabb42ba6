import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { catalogue, page, pdfOf, streamOf } from '../../test/support/made-pdf.ts';
import { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { createPdfReader } from './pdf-reader.ts';

const processes = new IsolatedProcesses({ processes: 1 });
after(() => processes.close());
const readPdf = createPdfReader(processes);

/** A PDF as older programs write it: bytes of a national encoding, of which it has the name alone. */
function named(encoding: string, ordering: string, hex: string): Buffer {
  const content = Buffer.from(`BT /F1 12 Tf 72 700 Td <${hex}> Tj ET`);
  const info = `<< /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >>`;
  return pdfOf([
    catalogue,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    page,
    streamOf(content, '[]'),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Mincho /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Mincho /CIDSystemInfo ${info} /FontDescriptor 7 0 R >>`,
    '<< /Type /FontDescriptor /FontName /Mincho /Flags 4 /FontBBox [0 -136 1000 859] /ItalicAngle 0 /Ascent 859 /Descent -140 /CapHeight 769 /StemV 78 >>',
  ]);
}
const read = (bytes: Buffer) => readPdf({ bytes, maxPages: 500, cuts: false }, { owner: 'one' });

test('text in national encodings that a PDF only names is read', async () => {
  const cases = [
    ['90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
    ['GBK-EUC-H', 'GB1', 'd6d0cec4', '中文'],
    ['ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
    ['KSCms-UHC-H', 'Korea1', 'c7d1b1b9', '한국'],
  ] as const;
  for (const [encoding, ordering, hex, text] of cases) {
    assert.deepEqual(await read(named(encoding, ordering, hex)), { pages: [text], total: 1 }, encoding);
  }
});

test('a name of an encoding that leads elsewhere reads no file, and the next PDF is read', async () => {
  for (const encoding of ['..#2f..#2fpackage', '#2fetc#2fpasswd', 'No-Such-Map']) {
    const outcome = await read(named(encoding, 'Japan1', '93fa'));
    const text = 'pages' in outcome ? outcome.pages.join('') : '';
    assert.ok(!/root|"name"/.test(text), text);
  }
  assert.deepEqual(await read(named('90ms-RKSJ-H', 'Japan1', '93fa')), { pages: ['日'], total: 1 });
});
