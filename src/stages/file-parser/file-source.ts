import { hash } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { FilePart } from '../../core/request.ts';
import { shownText } from '../../util/shown-text.ts';

/** Where the bytes of a file part come from. */
export type FileSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'address'; readonly url: string };

/** The name of a file, as models and errors show it. */
export function nameOfFile({ filename, url }: FilePart): string {
  if (filename !== undefined && filename !== '') return shownText(filename);
  if (url === undefined || !/^https?:/i.test(url) || !URL.canParse(url)) return 'file';
  const last = new URL(url).pathname.split('/').at(-1);
  return last ? shownText(last) : 'file';
}

/** A 400 that names the file. */
export function badFile(name: string, problem: string): HeadgateError {
  return new HeadgateError('invalid_request', `The file "${name}" ${problem}.`);
}

/** About how many bytes a part holds itself; none at an address. */
export function sizeOfFile({ data, url }: FilePart): number {
  return Math.floor(((data ?? inlined(url) ?? '').length * 3) / 4);
}

/** Reads where a file is, and its bytes if they are in the request. @throws HeadgateError for data that is none. */
export function sourceOf(part: FilePart): FileSource {
  const inline = part.data ?? inlined(part.url);
  if (inline === undefined) return { kind: 'address', url: part.url ?? '' };
  return { kind: 'bytes', bytes: decode(inline, nameOfFile(part)) };
}

/** What a file is known by. */
export function hashOf(content: Uint8Array | string): string {
  return hash('sha256', content, 'hex');
}

function inlined(url: string | undefined): string | undefined {
  return url !== undefined && /^data:/i.test(url) ? url : undefined;
}

function decode(data: string, name: string): Uint8Array {
  if (!/^data:/i.test(data)) return Buffer.from(data, 'base64');
  const comma = data.indexOf(',');
  const head = data.slice(0, comma === -1 ? data.length : comma).toLowerCase();
  const body = comma === -1 ? '' : data.slice(comma + 1);
  if (/;\s*base64\s*$/.test(head)) return Buffer.from(body, 'base64');
  try {
    return Buffer.from(decodeURIComponent(body));
  } catch {
    throw badFile(name, 'has a data URL that cannot be read');
  }
}
