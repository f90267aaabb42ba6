import type { FilePart } from '../core/request.ts';
import { wordTable } from '../util/word-table.ts';

/** A file whose bytes are in the request. */
export interface InlineFile {
  /** Lowercase, without parameters. */
  readonly mediaType: string;
  readonly base64: string;
}

const unknownType = 'application/octet-stream';

const typesByExtension = wordTable<string>({
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  xml: 'text/xml',
  json: 'application/json',
});

/** Parses a data URL; undefined when the text is not one. Unencoded data becomes base64. */
export function parseDataUrl(url: string): InlineFile | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(',');
  if (comma === -1) return undefined;
  const [type = '', ...attributes] = url.slice('data:'.length, comma).split(';');
  const data = url.slice(comma + 1);
  const encoded = attributes.some((attribute) => attribute.trim().toLowerCase() === 'base64');
  return {
    mediaType: type.trim().toLowerCase() || 'text/plain',
    base64: encoded ? data : Buffer.from(decodePercent(data)).toString('base64'),
  };
}

/**
 * The bytes in a file part, as data URL or as plain base64; undefined without any. A missing type is guessed from the
 * file extension or the first bytes.
 */
export function inlineFile(part: FilePart): InlineFile | undefined {
  if (part.data === undefined) return undefined;
  const file = parseDataUrl(part.data) ?? { mediaType: unknownType, base64: part.data };
  return file.mediaType === unknownType
    ? { ...file, mediaType: guessType(part.filename, file.base64) }
    : file;
}

function guessType(filename: string | undefined, base64: string): string {
  const extension = filename?.split('.').at(-1)?.toLowerCase() ?? '';
  const byName = typesByExtension[extension];
  if (byName !== undefined) return byName;
  // The characters %PDF- in base64.
  return base64.startsWith('JVBERi') ? 'application/pdf' : unknownType;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
