import { type NanoUsd, nanoFromInteger, sumUsd, zeroUsd } from '../../core/money.ts';
import type { ParsedContent, ParsedFile } from '../../core/parsed-file.ts';
import type { ContentPart, FilePart } from '../../core/request.ts';
import { type OcrEngine, OcrFailure } from '../../documents/ocr-engine.ts';
import type { StageContext } from '../stage.ts';
import { type FileSource, hashOf, nameOfFile, sourceOf } from './file-source.ts';
import {
  download,
  engineRefusal,
  type FileParserServices,
  localEngine,
  type ReadFile,
  readByEngine,
  readLocally,
  textOf,
} from './read-file.ts';

/** Pictures of one PDF that are kept, and of all PDFs of a request that go to the model. */
const mostImages = 8;

/** What was read, for the report. */
export interface FileTally {
  files: number;
  texts: number;
  reused: number;
  pages: number;
  engine: string | undefined;
  /** The engine that failed before another one read the files. */
  failedEngine: string | undefined;
  cost: NanoUsd;
}

/** The contents of the files of one request. Each file is read once, whatever endpoints are tried. */
export class FileContents {
  readonly #services: FileParserServices;
  readonly #engine: string | undefined;
  readonly #known: ReadonlyMap<string, ParsedFile>;
  /** What each part became, scanned. */
  readonly #parts = new Map<FilePart, Promise<readonly ContentPart[]>>();
  /** What each file holds, by its hash. */
  readonly #read = new Map<string, ParsedFile>();
  readonly tally: FileTally = {
    files: 0,
    texts: 0,
    reused: 0,
    pages: 0,
    engine: undefined,
    failedEngine: undefined,
    cost: zeroUsd,
  };
  #images = 0;

  /** @param known Files that the client gave back as read. */
  constructor(services: FileParserServices, engine: string | undefined, known: readonly ParsedFile[]) {
    this.#services = services;
    this.#engine = engine;
    this.#known = new Map(known.map((file) => [file.hash, file]));
  }

  /** Every file that was read or known, once. */
  get annotations(): readonly ParsedFile[] {
    return [...this.#read.values()];
  }

  /** What models read in place of file parts. @throws HeadgateError for a file that cannot be read. */
  async read(
    parts: readonly FilePart[],
    context: StageContext,
  ): Promise<ReadonlyMap<FilePart, readonly ContentPart[]>> {
    const read = new Map<FilePart, readonly ContentPart[]>();
    // One after the other: pictures are counted in the order of the files, and nobody needs many threads alone.
    for (const part of parts) {
      const known = this.#parts.get(part) ?? this.#partsOf(part, context);
      this.#parts.set(part, known);
      read.set(part, await known);
    }
    return read;
  }

  async #partsOf(part: FilePart, context: StageContext): Promise<readonly ContentPart[]> {
    const content = await this.#contentOf(part, context);
    const parts = toParts(part, content, mostImages - this.#images);
    this.#images += parts.filter(({ kind }) => kind === 'image').length;
    return context.scan(parts);
  }

  async #contentOf(part: FilePart, context: StageContext): Promise<readonly ParsedContent[]> {
    const name = nameOfFile(part);
    let source = sourceOf(part);
    const ocr = this.#ocr;
    if (source.kind === 'address') {
      const known = this.#find(hashOf(source.url));
      if (known !== undefined) return known.content;
      if (ocr === undefined) source = await this.#fetch(source, name, context);
    }
    if (source.kind === 'bytes') {
      const text = textOf(source.bytes, name);
      if (text !== undefined) {
        this.tally.texts += 1;
        return asText(name, text);
      }
    }
    const hash = hashOf(source.kind === 'bytes' ? source.bytes : source.url);
    const known = this.#find(hash);
    if (known !== undefined) return known.content;
    const file = annotate(hash, name, await this.#parse(source, name, ocr, context), mostImages);
    this.#read.set(hash, file);
    return file.content;
  }

  async #fetch(
    source: FileSource & { kind: 'address' },
    name: string,
    { signal }: StageContext,
  ): Promise<FileSource & { kind: 'bytes' }> {
    return { kind: 'bytes', bytes: await download(source.url, name, this.#services, signal) };
  }

  /** A file that was read for another part, or that the client gave back. */
  #find(hash: string): ParsedFile | undefined {
    const read = this.#read.get(hash);
    if (read !== undefined) return read;
    const known = this.#known.get(hash);
    if (known === undefined) return undefined;
    this.tally.reused += 1;
    this.#read.set(hash, known);
    return known;
  }

  /** The engine for scans, where the request may use it. */
  get #ocr(): OcrEngine | undefined {
    const ocr = this.#services.ocr();
    return this.#engine === undefined || this.#engine === ocr?.name ? ocr : undefined;
  }

  async #parse(
    source: FileSource,
    name: string,
    ocr: OcrEngine | undefined,
    context: StageContext,
  ): Promise<ReadFile> {
    if (ocr !== undefined) {
      try {
        return await this.#parseByEngine(ocr, source, name, context);
      } catch (thrown) {
        if (this.#engine !== undefined || !(thrown instanceof OcrFailure)) throw engineRefusal(thrown, name);
        this.tally.failedEngine = ocr.name;
      }
    }
    const { bytes } = source.kind === 'bytes' ? source : await this.#fetch(source, name, context);
    // Only what an engine was to fetch may still be text.
    const text = source.kind === 'bytes' ? undefined : textOf(bytes, name);
    if (text !== undefined) return { pages: [{ text, images: [] }], billedPages: 0 };
    const read = await readLocally(bytes, name, this.#services, context);
    this.#count(localEngine, read.pages.length);
    return read;
  }

  async #parseByEngine(
    ocr: OcrEngine,
    source: FileSource,
    name: string,
    context: StageContext,
  ): Promise<ReadFile> {
    await context.checkMeans(ocr.pricePerPage > zeroUsd);
    await context.reserve(nanoFromInteger(ocr.pricePerPage * BigInt(pagesExpected(source))));
    const read = await readByEngine(ocr, source, name, this.#services, context);
    // An engine has read no more pages than it sent, nor more than it takes.
    const most = Math.min(read.pages.length, ocr.mostPages);
    const billed = Math.min(read.billedPages, most);
    this.#count(ocr.name, billed);
    const amount = nanoFromInteger(ocr.pricePerPage * BigInt(billed));
    this.tally.cost = sumUsd(this.tally.cost, amount);
    const implausible = read.billedPages > most ? (['pages'] as const) : undefined;
    await context.charge({ type: 'service:file_parser', amount, implausible });
    return { ...read, billedPages: billed };
  }

  #count(engine: string, pages: number): void {
    this.tally.engine = engine;
    this.tally.files += 1;
    this.tally.pages += pages;
  }
}

/** Bytes of a document that are taken for a page where its pages are not known. */
const bytesOfPage = 40_000;

/** About how many pages a file has that nobody has read yet. */
function pagesExpected(source: FileSource): number {
  return source.kind === 'bytes' ? Math.max(1, Math.ceil(source.bytes.length / bytesOfPage)) : 1;
}

/** What an annotation holds of a file: its pages, then its pictures. */
function annotate(hash: string, name: string, { pages }: ReadFile, mostImages: number): ParsedFile {
  const images = pages.flatMap((page) => page.images).slice(0, mostImages);
  return {
    hash,
    name,
    content: [
      {
        type: 'text',
        text: describe(
          name,
          pages.map(({ text }) => text),
        ),
      },
      ...images.map((url): ParsedContent => ({ type: 'image_url', image_url: { url } })),
    ],
  };
}

/** What a model reads in place of a file. Pictures come last, as many as are left. */
function toParts(
  part: FilePart,
  content: readonly ParsedContent[],
  imagesLeft: number,
): readonly ContentPart[] {
  const texts = content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
  const images = content.flatMap((piece) => (piece.type === 'text' ? [] : [piece.image_url.url]));
  const all = [...(part.context === undefined ? [] : [part.context]), ...texts];
  const { cacheControl } = part;
  return [
    ...all.map((text, index): ContentPart => {
      const isLast = index === all.length - 1;
      return { kind: 'text', text, ...(isLast && cacheControl !== undefined && { cacheControl }) };
    }),
    ...images
      .slice(0, imagesLeft)
      .map((url): ContentPart => ({ kind: 'image', url, detail: 'auto', ofFile: true })),
  ];
}

/** The text of a file of text, under its name. */
function asText(name: string, text: string): readonly ParsedContent[] {
  return [{ type: 'text', text: `[File "${name}"]\n\n${text}` }];
}

function describe(name: string, pages: readonly string[]): string {
  const count = pages.length === 1 ? '1 page' : `${pages.length} pages`;
  const texts = pages.map((text, index) => `[Page ${index + 1}]\n\n${text.trim() || '(no text)'}`);
  return [`[File "${name}", ${count}]`, ...texts].join('\n\n');
}
