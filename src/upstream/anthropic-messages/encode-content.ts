import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type {
  BlockPart,
  CacheControl,
  ContentPart,
  FilePart,
  ImagePart,
  TextPart,
} from '../../core/request.ts';
import { inlineFile, parseDataUrl } from '../inline-file.ts';
import { refusal } from '../refusal.ts';

/** A block that a user or a tool can contribute. */
export type ContentBlock = Wire.TextBlockParam | Wire.ImageBlockParam | Wire.DocumentBlockParam;

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const plainTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript)$)/;

/**
 * Encodes content parts as blocks. Omits blank text because the dialect refuses it.
 * @param cites Whether the answer should cite the documents among them.
 * @throws HeadgateError `upstream_invalid_request` for a part for which the dialect has no block.
 */
export function encodeParts(parts: readonly ContentPart[], cites = false): ContentBlock[] {
  return parts.flatMap((part) => encodePart(part, cites));
}

/** Encodes the text parts as blocks, because a system prompt can contain nothing else. */
export function encodeTexts(parts: readonly ContentPart[]): Wire.TextBlockParam[] {
  return parts.flatMap((part) => (part.kind === 'text' ? encodeText(part) : []));
}

/** A cache breakpoint in this dialect. */
export function encodeCacheControl(
  control: CacheControl | undefined,
): Wire.CacheControlEphemeral | undefined {
  return control && { type: 'ephemeral', ttl: control.ttl };
}

function encodePart(part: ContentPart, cites: boolean): ContentBlock | [] {
  switch (part.kind) {
    case 'text':
      return encodeText(part);
    case 'refusal':
      return encodeText({ kind: 'text', text: part.text });
    case 'image':
      return {
        type: 'image',
        source: imageSource(part),
        cache_control: encodeCacheControl(part.cacheControl),
      };
    case 'file':
      return encodeFile(part, cites);
    case 'block':
      return encodeBlock(part);
    default:
      throw refusal(`no ${part.kind} input`);
  }
}

function encodeText({ text, citations, cacheControl }: TextPart): Wire.TextBlockParam | [] {
  if (text.trim() === '') return [];
  const block: Wire.TextBlockParam = { type: 'text', text, cache_control: encodeCacheControl(cacheControl) };
  // As the provider gave them.
  if (citations !== undefined) block.citations = citations as unknown as Wire.TextCitationParam[];
  return block;
}

/** A block of this dialect that the caller wrote goes out as it is. */
function encodeBlock({ block, cacheControl }: BlockPart): ContentBlock {
  const cache_control = encodeCacheControl(cacheControl);
  return { ...block, ...(cache_control && { cache_control }) } as unknown as ContentBlock;
}

function imageSource({ url = '', fileId }: ImagePart): Wire.ImageBlockParam['source'] {
  if (fileId !== undefined) return { type: 'file', file_id: fileId };
  const file = parseDataUrl(url);
  if (file === undefined) return { type: 'url', url };
  const media_type = imageTypes.find((type) => type === file.mediaType);
  if (media_type === undefined) throw refusal(`no images of type ${file.mediaType}`);
  return { type: 'base64', media_type, data: file.base64 };
}

function encodeFile(part: FilePart, cites: boolean): Wire.DocumentBlockParam {
  return {
    type: 'document',
    source: documentSource(part),
    title: part.filename,
    context: part.context,
    citations: (part.cites ?? cites) ? { enabled: true } : undefined,
    cache_control: encodeCacheControl(part.cacheControl),
  };
}

function documentSource(part: FilePart): Wire.DocumentBlockParam['source'] {
  if (part.fileId !== undefined) return { type: 'file', file_id: part.fileId };
  const file = inlineFile(part);
  if (file === undefined) return { type: 'url', url: part.url ?? '' };
  if (file.mediaType === 'application/pdf') {
    return { type: 'base64', media_type: file.mediaType, data: file.base64 };
  }
  if (!plainTypes.test(file.mediaType)) throw refusal(`no files of type ${file.mediaType}`);
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(file.base64, 'base64').toString() };
}
