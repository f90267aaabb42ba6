import { HeadgateError } from '../core/errors.ts';

const longestName = 255;

/** Media types that may be sent to a browser: it cannot run any content of these types as a page. */
const plainTypes: ReadonlySet<string> = new Set([
  'application/json',
  'application/pdf',
  'audio/mpeg',
  'audio/wav',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/csv',
  'text/markdown',
  'text/plain',
  'video/mp4',
]);

/**
 * Checks the name of a file (docs/spec/files.md#names). It never becomes a path here, but may at clients.
 * @throws HeadgateError `invalid_request`.
 */
export function checkFileName(name: string): void {
  const problem = problemOf(name);
  if (problem !== undefined) throw new HeadgateError('invalid_request', `filename: ${problem}`);
}

function problemOf(name: string): string | undefined {
  if (name.trim() === '') return 'must not be empty';
  if (name.length > longestName) return `must have at most ${longestName} characters, got ${name.length}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'must not contain control characters';
  if (/^([/\\]|[A-Za-z]:)/.test(name)) return 'must not begin like a path of a disk';
  if (name.split(/[/\\]/).includes('..')) return 'must not contain ".."';
  return undefined;
}

/** A media type without parameters, in lowercase; that of unknown bytes for what is none. */
export function cleanMediaType(type: string): string {
  const [plain = ''] = type.toLowerCase().split(';');
  return /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/.test(plain.trim())
    ? plain.trim()
    : 'application/octet-stream';
}

/** The type that contents are sent with: what could run as a page is bytes. */
export function servedMediaType(type: string): string {
  return plainTypes.has(type) ? type : 'application/octet-stream';
}

/** The header that has browsers store a file instead of showing it. */
export function attachmentHeader(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
