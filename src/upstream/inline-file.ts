import type { FilePart } from '../core/request.ts';
import { wordTable } from '../util/word-table.ts';

/** A file whose bytes travel inside the request. */
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

/** Takes a data URL apart; undefined when the text is none. Unencoded data becomes base64. */
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
 * The bytes of a file part that carries them, as data URL or as bare base64; undefined when it carries
 * none. A type nobody stated is told by the name's ending or by the first bytes.
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
  // What the letters %PDF- are in base64.
  return base64.startsWith('JVBERi') ? 'application/pdf' : unknownType;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
