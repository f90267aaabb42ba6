/** What kind of document some bytes are. */
export type DocumentType = 'pdf' | 'text' | 'other';

/** Bytes in which the mark of a PDF may stand behind other bytes. */
const pdfHead = 1024;
const pdfMark = '%PDF-';
/** Control characters that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const binary = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** The kind of a document, by its bytes; names and declared types are not asked. */
export function documentTypeOf(bytes: Uint8Array): DocumentType {
  if (isPdf(bytes)) return 'pdf';
  return decodeText(bytes) === undefined ? 'other' : 'text';
}

/** Whether some bytes begin as a PDF does. */
export function isPdf(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, pdfHead));
  return head.includes(pdfMark);
}

/** The text of bytes in UTF-8, or in UTF-16 with a byte-order mark; undefined where they are no text. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const coding = isWide ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  try {
    const text = new TextDecoder(coding, { fatal: true }).decode(bytes);
    return binary.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
