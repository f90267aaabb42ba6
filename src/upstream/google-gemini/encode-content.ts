import { HeadgateError } from '../../core/errors.ts';
import type { AudioPart, ContentPart, FilePart, VideoPart } from '../../core/request.ts';
import { wordTable } from '../../util/word-table.ts';
import { type InlineFile, inlineFile, parseDataUrl } from '../inline-file.ts';
import type { GeminiHost } from './model-traits.ts';
import type { Part } from './wire.ts';

/** The address of the provider's files, and which members its host accepts. */
export interface PartContext {
  readonly host: GeminiHost;
  /** The address of the provider's files by id, with a trailing slash; undefined where there are none. */
  readonly filesAt?: string;
}

const typesByExtension = wordTable<string>({
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  mov: 'video/mov',
  webm: 'video/webm',
});

/**
 * Encodes content as parts; omits empty texts.
 * @throws HeadgateError `upstream_invalid_request` for a file id that the provider cannot have.
 */
export function encodeParts(parts: readonly ContentPart[], context: PartContext): Part[] {
  return parts.flatMap((part) => encodePart(part, context));
}

/** A file whose bytes are in the request. */
export function encodeInline({ mediaType, base64 }: InlineFile): Part {
  return { inlineData: { mimeType: mediaType, data: base64 } };
}

function encodePart(part: ContentPart, context: PartContext): Part | [] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
    case 'block':
      return part.text ? { text: part.text } : [];
    case 'image':
      if (part.fileId !== undefined) return encodeFileId(part.fileId, context);
      return encodeUrl(part.url ?? '', 'image/jpeg');
    case 'file':
      return encodeFile(part, context);
    case 'audio':
      return encodeAudio(part);
    case 'video':
      return { ...encodeUrl(part.url, 'video/mp4'), mediaProcessing: encodeProcessing(part, context) };
  }
}

function encodeFile(part: FilePart, context: PartContext): Part {
  if (part.fileId !== undefined) return encodeFileId(part.fileId, context);
  const file = inlineFile(part);
  return file === undefined ? encodeUrl(part.url ?? '', 'application/pdf') : encodeInline(file);
}

function encodeAudio({ data, format }: AudioPart): Part {
  return { inlineData: { mimeType: `audio/${format}`, data } };
}

function encodeProcessing({ processing }: VideoPart, { host }: PartContext): Part['mediaProcessing'] {
  if (processing === undefined || host === 'vertex') return undefined;
  return processing === 'agentic' ? 'AGENTIC' : 'STATIC';
}

/** A URL for the provider to fetch. The provider requires a media type, so it is guessed from the address. */
function encodeUrl(url: string, usualType: string): Part {
  const file = parseDataUrl(url);
  if (file !== undefined) return encodeInline(file);
  return { fileData: { fileUri: url, mimeType: typeOfAddress(url) ?? usualType } };
}

/** Whether a file id is an address, which is how one host identifies files. */
export function isFileAddress(id: string): boolean {
  return /^(https?|gs):\/\//.test(id);
}

/** The provider knows the type of its own files. */
function encodeFileId(id: string, { filesAt }: PartContext): Part {
  if (isFileAddress(id)) return { fileData: { fileUri: id, mimeType: typeOfAddress(id) } };
  if (filesAt === undefined) {
    throw new HeadgateError('upstream_invalid_request', 'The provider takes files by gs:// address only.');
  }
  return { fileData: { fileUri: `${filesAt}${id.replace(/^files\//, '')}` } };
}

function typeOfAddress(url: string): string | undefined {
  const path = URL.parse(url)?.pathname ?? '';
  return typesByExtension[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
}
