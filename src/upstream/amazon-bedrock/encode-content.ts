import type { CacheControl, ContentPart, FilePart, VideoPart } from '../../core/request.ts';
import { inlineFile, parseDataUrl } from '../inline-file.ts';
import { refusal } from '../refusal.ts';
import type { CachePoint, ContentBlock } from './wire-types.ts';

type Media = Extract<
  ContentBlock,
  { image: object } | { document: object } | { video: object } | { audio: object }
>;
type Document = Extract<Media, { document: object }>['document'];

const imageFormats = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
} as const;
const videoFormats = {
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg',
  'video/quicktime': 'mov',
  'video/mov': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
} as const;
const documentFormats = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
} as const;
/** Media types without a document format of their own that are still plain text. */
const plainTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript)$)/;

/** Turns content parts into blocks; every document of a conversation needs a unique name. */
export class PartEncoder {
  readonly #names = new Set<string>();
  /** How often each name was used. */
  readonly #counts = new Map<string, number>();
  readonly #cites: boolean;
  readonly #cachePoint: (control: CacheControl | undefined) => CachePoint | undefined;

  /**
   * @param cachePoint returns what ends a cacheable prefix; undefined where the model has no cache.
   * @param cites whether the answer should cite documents.
   */
  constructor(cachePoint: (control: CacheControl | undefined) => CachePoint | undefined, cites: boolean) {
    this.#cachePoint = cachePoint;
    this.#cites = cites;
  }

  /**
   * Encodes the parts of a message as blocks, including cache points. Omits blank text because models refuse it.
   * @throws HeadgateError `upstream_invalid_request` for a part for which the dialect has no block.
   */
  encode(parts: readonly ContentPart[]): ContentBlock[] {
    return parts.flatMap((part) => {
      const block = this.#encodePart(part);
      if (block === undefined) return [];
      const cachePoint = 'cacheControl' in part ? this.#cachePoint(part.cacheControl) : undefined;
      return cachePoint === undefined ? [block] : [block, { cachePoint }];
    });
  }

  /** The cache point that a mark makes of a block before it; none where the model has no cache. */
  pointAfter(control: CacheControl | undefined): readonly { readonly cachePoint: CachePoint }[] {
    const cachePoint = this.#cachePoint(control);
    return cachePoint === undefined ? [] : [{ cachePoint }];
  }

  #encodePart(part: ContentPart): ContentBlock | undefined {
    switch (part.kind) {
      case 'text':
      case 'refusal':
      case 'block':
        return part.text === undefined || part.text.trim() === '' ? undefined : { text: part.text };
      case 'image': {
        const file = parseDataUrl(part.url ?? '');
        if (file === undefined) throw refusal('pictures inside the request only');
        return { image: { format: formatOf(imageFormats, file.mediaType), source: { bytes: file.base64 } } };
      }
      case 'file':
        return { document: this.#encodeFile(part) };
      case 'video':
        return encodeVideo(part);
      case 'audio':
        return { audio: { format: part.format, source: { bytes: part.data } } };
    }
  }

  #encodeFile(part: FilePart): Document {
    const file = inlineFile(part) ?? parseDataUrl(part.url ?? '');
    if (file === undefined) throw refusal('files inside the request only');
    const plain = plainTypes.test(file.mediaType) && !Object.hasOwn(documentFormats, file.mediaType);
    return {
      format: plain ? 'txt' : formatOf(documentFormats, file.mediaType),
      name: this.#nameOf(part.filename),
      source: { bytes: file.base64 },
      citations: this.#cites ? { enabled: true } : undefined,
    };
  }

  /** Names may contain letters, digits, single spaces, hyphens and brackets, and must be unique. */
  #nameOf(filename = 'document'): string {
    const clean = filename
      .replace(/\.[^.]*$/, '')
      .replace(/[^a-zA-Z0-9\-()[\]]+/g, ' ')
      .trim()
      .slice(0, 180);
    const base = clean === '' ? 'document' : clean;
    let name = base;
    let count = this.#counts.get(base) ?? 1;
    while (this.#names.has(name)) {
      count += 1;
      name = `${base} ${count}`;
    }
    this.#counts.set(base, count);
    this.#names.add(name);
    return name;
  }
}

function encodeVideo({ url }: VideoPart): ContentBlock {
  const file = parseDataUrl(url);
  if (file === undefined) throw refusal('video inside the request only');
  return { video: { format: formatOf(videoFormats, file.mediaType), source: { bytes: file.base64 } } };
}

function formatOf<Format>(formats: Readonly<Record<string, Format>>, mediaType: string): Format {
  const format = Object.hasOwn(formats, mediaType) ? formats[mediaType] : undefined;
  if (format === undefined) throw refusal(`no files of type ${mediaType}`);
  return format;
}
