import { HeadgateError } from '../../../core/errors.ts';
import { malformed, quote } from '../../../schema/fault.ts';

const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
const videoTypes: ReadonlySet<string> = new Set([
  'video/mp4',
  'video/mpeg',
  'video/mov',
  'video/quicktime',
  'video/webm',
]);
/** Where pictures and moving pictures may be. */
export const webOrDataUrl = {
  pattern: '^([hH][tT][tT][pP][sS]?://|[dD][aA][tT][aA]:)',
  description: 'an http or https URL or a data URL',
};

/** Looked for, because matching all of a text would need memory in proportion to it. */
const foreign = /[^A-Za-z0-9+/]/;

/**
 * Checks a picture inside a data URL; addresses pass (docs/spec/requests.md#content-parts).
 * @returns the URL, with the one usual misspelling of a type put right.
 * @throws HeadgateError `unsupported_image_format` for a type that is none of png, jpeg, webp and gif, `invalid_image`
 * where no base64 follows.
 */
export function checkImageUrl(url: string, path: string): string {
  const parts = splitDataUrl(url);
  if (parts === undefined) return url;
  const { type, encoded, data } = parts;
  const known = type === 'image/jpg' ? 'image/jpeg' : type;
  if (!imageTypes.has(known)) {
    const types = 'image/png, image/jpeg, image/webp or image/gif';
    throw new HeadgateError('unsupported_image_format', `${path}: must be ${types}, got ${quote(type)}`);
  }
  if (!encoded || !isBase64(data)) {
    throw new HeadgateError('invalid_image', `${path}: the picture is not in base64`);
  }
  return known === type ? url : `data:${known};base64,${data}`;
}

/**
 * Checks moving pictures inside a data URL; addresses pass.
 * @throws HeadgateError `invalid_request` for another type than mp4, mpeg, mov and webm, or where no base64 follows.
 */
export function checkVideoUrl(url: string, path: string): void {
  const parts = splitDataUrl(url);
  if (parts === undefined) return;
  if (!videoTypes.has(parts.type)) {
    throw malformed(path, `must be mp4, mpeg, mov or webm video, got ${quote(parts.type)}`);
  }
  if (!parts.encoded) throw malformed(path, 'the video is not in base64');
  checkBase64(parts.data, path);
}

/** Checks a document: plain base64, or a data URL of any type. @throws HeadgateError `invalid_request`. */
export function checkFileData(data: string, path: string): void {
  const parts = splitDataUrl(data);
  if (parts === undefined) checkBase64(data, path);
  else if (parts.encoded) checkBase64(parts.data, path);
}

/** @throws HeadgateError `invalid_request` where a text is no base64. */
export function checkBase64(data: string, path: string): void {
  if (!isBase64(data)) throw malformed(path, 'expected base64');
}

/** The padding may be missing, but no number of bytes leaves one letter over. */
function isBase64(data: string): boolean {
  const letters = data.endsWith('=') ? data.slice(0, data.endsWith('==') ? -2 : -1) : data;
  return letters !== '' && letters.length % 4 !== 1 && !foreign.test(letters);
}

interface DataUrl {
  /** Lowercase, without parameters. */
  readonly type: string;
  readonly encoded: boolean;
  readonly data: string;
}

function splitDataUrl(url: string): DataUrl | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(',');
  const head = url.slice('data:'.length, comma === -1 ? url.length : comma).toLowerCase();
  const [type = '', ...attributes] = head.split(';').map((part) => part.trim());
  return { type, encoded: attributes.includes('base64'), data: comma === -1 ? '' : url.slice(comma + 1) };
}
