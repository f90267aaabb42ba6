import type { BlockPart, ContentPart, FilePart, ImagePart } from '../../../core/request.ts';
import { malformed, nameOf, quote } from '../../../schema/fault.ts';
import { asObject } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { checkBase64, checkImageUrl } from '../../gateway/content/data-url.ts';
import { objectMember, optionalText, textMember } from './block-path.ts';
import { readCacheControl } from './cache-control.ts';

/** A text or blocks as an array of blocks with their paths. @throws HeadgateError `invalid_request`. */
export function blocksOf(value: unknown, path: string): readonly (readonly [JsonObject, string])[] {
  if (typeof value === 'string') return [[{ type: 'text', text: value }, path]];
  if (!Array.isArray(value)) throw malformed(path, `expected a string or an array, got ${nameOf(value)}`);
  return value.map((block: unknown, index) => {
    const place = `${path}[${index}]`;
    return [asObject(block, place), place] as const;
  });
}

/**
 * Reads a block of content that is no call, result or thought (docs/spec/messages.md#blocks).
 * @throws HeadgateError `invalid_request`.
 */
export function readContentBlock(block: JsonObject, path: string): ContentPart {
  switch (block.type) {
    case 'text':
      return readText(block, path);
    case 'image':
      return readImage(block, path);
    case 'document':
      return readDocument(block, path);
    case 'search_result':
      return foreign(block, path, searchText(block, path));
    case 'tool_reference':
      return foreign(block, path, `The tool ${textMember(block, 'tool_name', path)} is available now.`);
    case 'compaction':
      return foreign(block, path, optionalText(block, 'content', path) ?? '');
    default:
      if (typeof block.type !== 'string') {
        throw malformed(`${path}.type`, 'is required, expected a string such as "text"');
      }
      return foreign(block, path);
  }
}

function readText(block: JsonObject, path: string): ContentPart {
  const { citations } = block;
  const cited = Array.isArray(citations) ? citations.filter(isObject) : [];
  if (cited.length > 0) refuseDeep(cited, `${path}.citations`);
  return {
    kind: 'text',
    text: textMember(block, 'text', path),
    ...(cited.length > 0 && { citations: cited }),
    cacheControl: readCacheControl(block, path),
    path,
  };
}

function readImage(block: JsonObject, path: string): ImagePart {
  const source = objectMember(block, 'source', path);
  const at = `${path}.source`;
  const common = {
    kind: 'image',
    detail: 'auto',
    cacheControl: readCacheControl(block, path),
    path,
  } as const;
  switch (source.type) {
    case 'base64': {
      const url = `data:${textMember(source, 'media_type', at)};base64,${textMember(source, 'data', at)}`;
      return { ...common, url: checkImageUrl(url, at) };
    }
    case 'url':
      return { ...common, url: webUrl(source, at) };
    case 'file':
      return { ...common, fileId: textMember(source, 'file_id', at) };
    default:
      throw unknownSource(source, at, '"base64", "url", "file"');
  }
}

function readDocument(block: JsonObject, path: string): FilePart | BlockPart {
  const source = objectMember(block, 'source', path);
  const at = `${path}.source`;
  const { citations } = block;
  const cites = isObject(citations) && typeof citations.enabled === 'boolean' ? citations.enabled : undefined;
  const common = {
    kind: 'file',
    filename: optionalText(block, 'title', path),
    context: optionalText(block, 'context', path),
    cites,
    cacheControl: readCacheControl(block, path),
    path,
  } as const;
  switch (source.type) {
    case 'base64': {
      const data = textMember(source, 'data', at);
      checkBase64(data, `${at}.data`);
      return {
        ...common,
        data: `data:${optionalText(source, 'media_type', at) ?? 'application/pdf'};base64,${data}`,
      };
    }
    case 'url':
      return { ...common, url: webUrl(source, at) };
    case 'file':
      return { ...common, fileId: textMember(source, 'file_id', at) };
    case 'text':
      return foreign(block, path, documentText(block, textMember(source, 'data', at), path));
    case 'content':
      return foreign(block, path, documentText(block, joinedText(source.content, `${at}.content`), path));
    default:
      throw unknownSource(source, at, '"base64", "text", "content", "url", "file"');
  }
}

function webUrl(source: JsonObject, path: string): string {
  const url = textMember(source, 'url', path);
  if (/^https?:\/\//i.test(url)) return url;
  throw malformed(`${path}.url`, 'expected an http or https URL');
}

function unknownSource({ type }: JsonObject, path: string, kinds: string) {
  const got = typeof type === 'string' ? quote(type) : nameOf(type);
  return malformed(`${path}.type`, `must be one of ${kinds}, got ${got}`);
}

/** A document of text, or what is said in place of it elsewhere: title, context, text. */
function documentText(block: JsonObject, text: string, path: string): string {
  const lines = [optionalText(block, 'title', path), optionalText(block, 'context', path), text];
  return lines.filter((line) => line !== undefined && line !== '').join('\n');
}

function searchText(block: JsonObject, path: string): string {
  const head = [textMember(block, 'title', path), textMember(block, 'source', path)];
  return [...head, joinedText(block.content, `${path}.content`)].join('\n');
}

function joinedText(value: unknown, path: string): string {
  const texts = blocksOf(value, path).map(([block, at]) =>
    block.type === 'text' ? textMember(block, 'text', at) : '(A picture.)',
  );
  return texts.join('\n');
}

/** A block kept as it is for providers of this format. */
function foreign(block: JsonObject, path: string, text?: string): BlockPart {
  refuseDeep(block, path);
  const { cache_control: _mark, ...kept } = block;
  return { kind: 'block', block: kept, text, cacheControl: readCacheControl(block, path), path };
}
