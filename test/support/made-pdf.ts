import { deflateSync } from 'node:zlib';

/** A PDF of objects, numbered from 1; the first is its catalogue. */
export function pdfOf(objects: readonly (string | Buffer)[]): Buffer {
  const chunks: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const places: number[] = [];
  let length = chunks[0]?.length ?? 0;
  const add = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
  };
  for (const [index, object] of objects.entries()) {
    places.push(length);
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]));
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...chunks, Buffer.from(head + table + trailer)]);
}

/** A stream object. */
export function streamOf(data: Buffer, filters: string): Buffer {
  return Buffer.concat([
    Buffer.from(`<< /Length ${data.length} /Filter ${filters} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
}

/** The first object of a PDF. */
export const catalogue = '<< /Type /Catalog /Pages 2 0 R >>';
/** The fifth object of a PDF of one page. */
export const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
/** The third object of a PDF of one page. */
export const page =
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>';
/** A PDF of one page with this content. */
export const onePage = (content: Buffer) =>
  pdfOf([catalogue, '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', page, content, font]);
/** A PDF of one page that says something. */
export const saying = (text: string) =>
  onePage(streamOf(deflateSync(`BT /F1 12 Tf 72 700 Td (${text}) Tj ET`), '/FlateDecode'));
