import { HeadgateError } from '../../core/errors.ts';
import { fileEngineOf } from '../../core/file-engine.ts';
import type { AnyRequest, InferenceRequest } from '../../core/inference-request.ts';
import { usdToNumber } from '../../core/money.ts';
import type { ParsedFile } from '../../core/parsed-file.ts';
import {
  type CanonicalChat,
  type ContentPart,
  chatOf,
  type FilePart,
  type Item,
} from '../../core/request.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import type { FitTarget, Stage, StageContext, StageRun } from '../stage.ts';
import { FileContents } from './file-contents.ts';
import { badFile, nameOfFile, sizeOfFile } from './file-source.ts';
import type { FileParserServices } from './read-file.ts';

/** Bytes of all files in one request. */
const mostOfRequest = 50 * 1024 * 1024;

/**
 * The plugin `file-parser` (docs/spec/plugins.md#file-parser): reads files for models that cannot. It works without being listed,
 * where a request holds files.
 */
export function createFileParser(services: FileParserServices): Stage {
  return {
    place: 'file-parser',
    guardsCounts: true,
    begin(request: InferenceRequest) {
      if (!holdsFiles(request.canonical.items)) return undefined;
      return new FileParsing(services, fileEngineOf(request.plugins), request.parsedFiles ?? []);
    },
  };
}

/** Whether the gateway reads files of a request for endpoints that cannot; for explaining where it would go. */
export function readsFilesOf({ canonical, plugins }: AnyRequest): boolean {
  if (!holdsFiles(chatOf(canonical)?.items ?? [])) return false;
  return fileEngineOf(plugins) !== 'native';
}

/** Whether an endpoint would get the files of a request as they are, rather than what the gateway reads in them. */
export function getsFiles(
  target: FitTarget,
  { canonical, plugins }: AnyRequest,
  context: Pick<StageContext, 'supports'>,
): boolean {
  const items = chatOf(canonical)?.items ?? [];
  if (!holdsFiles(items)) return true;
  const engine = fileEngineOf(plugins);
  if (engine === 'native') return true;
  return engine === undefined && filesIn(items).every((file) => isReadBy(file, target, context));
}

class FileParsing implements StageRun {
  readonly #services: FileParserServices;
  readonly #engine: string | undefined;
  readonly #contents: FileContents;
  /** Undefined where nobody but the provider reads the files. */
  #isOn = true;

  constructor(services: FileParserServices, engine: string | undefined, known: readonly ParsedFile[]) {
    this.#services = services;
    this.#engine = engine;
    this.#contents = new FileContents(services, engine, known);
  }

  get entry(): PipelineEntry | undefined {
    const { files, reused, pages, engine, failedEngine, cost, texts } = this.#contents.tally;
    if (files + reused + texts === 0) return undefined;
    return {
      type: 'plugin',
      name: 'file-parser',
      data: {
        ...(engine !== undefined && { engine }),
        ...(failedEngine !== undefined && { failed_engine: failedEngine }),
        files: files + reused + texts,
        pages,
        reused,
      },
      costUsd: usdToNumber(cost),
    };
  }

  /** The files that were read, for the client. */
  get files(): readonly ParsedFile[] {
    return this.#contents.annotations;
  }

  /** Reads the files now where no endpoint can, or an engine is named; otherwise for each endpoint when it is asked. */
  async prepare(request: InferenceRequest, context: StageContext): Promise<InferenceRequest> {
    const files = filesIn(request.canonical.items);
    this.#check(files);
    const targets = context.targets(request);
    if (this.#engine === 'native') {
      this.#isOn = false;
      refuseUnread(files, targets);
      return request;
    }
    if (context.onlyCounts === true) return request;
    const isRead = (file: FilePart) =>
      this.#engine === undefined &&
      (targets?.some((target) => isReadBy(file, target, context)) ?? mayBeRead(file));
    const canonical = await this.#read(request.canonical, (file) => !isRead(file), context);
    return { ...request, canonical, ...(files.some(isRead) && { readsFiles: true }) };
  }

  /** The request with texts where the endpoint reads no files, and without their pictures where its model sees none. */
  async fit(request: CanonicalChat, target: FitTarget, context: StageContext): Promise<CanonicalChat> {
    if (!this.#isOn) return request;
    const read = await this.#read(request, (file) => !isReadBy(file, target, context), context);
    if (readsPictures(target, context)) return read;
    return withItems(
      read,
      replaceParts(read.items, (part) => (part.kind === 'image' && part.ofFile === true ? [] : undefined)),
    );
  }

  async #read(
    request: CanonicalChat,
    isWanted: (file: FilePart) => boolean,
    context: StageContext,
  ): Promise<CanonicalChat> {
    // Nobody but their keeper can open files by id.
    const parts = filesIn(request.items).filter((file) => file.fileId === undefined && isWanted(file));
    if (parts.length === 0) return request;
    const read = await this.#contents.read(parts, context);
    const replace = (part: ContentPart) => (part.kind === 'file' ? read.get(part) : undefined);
    return withItems(request, replaceParts(request.items, replace));
  }

  #check(files: readonly FilePart[]): void {
    const { file: most } = this.#services.limits();
    let total = 0;
    for (const file of files) {
      const size = sizeOfFile(file);
      total += size;
      if (size > most) throw tooLarge(`The file "${nameOfFile(file)}" is larger than ${most} bytes.`);
    }
    if (total > mostOfRequest) throw tooLarge(`The files are larger than ${mostOfRequest} bytes together.`);
    const ocr = this.#services.ocr();
    if (this.#engine === undefined || this.#engine === ocr?.name || !needsCredential(this.#engine)) return;
    const message = `plugins: the engine "${this.#engine}" of "file-parser" is not available on this server, see plugins.file_parser.ocr`;
    throw new HeadgateError('invalid_request', message);
  }
}

function needsCredential(engine: string): boolean {
  return engine !== 'native' && engine !== 'cloudflare-ai' && engine !== 'pdf-text';
}

function tooLarge(message: string): HeadgateError {
  return new HeadgateError('payload_too_large', message);
}

/** @throws HeadgateError where every model says that it reads no files. */
function refuseUnread(files: readonly FilePart[], targets: readonly FitTarget[] | undefined): void {
  const [first] = files;
  const isUnread = ({ model }: FitTarget) =>
    model.undeclared?.input !== true && !model.inputModalities.includes('file');
  if (first === undefined || targets === undefined || targets.length === 0 || !targets.every(isUnread))
    return;
  throw badFile(
    nameOfFile(first),
    'cannot be read by the model itself; leave "enabled: false" and the engine "native" of the plugin file-parser out',
  );
}

function withItems(request: CanonicalChat, items: CanonicalChat['items']): CanonicalChat {
  return items === request.items ? request : { ...request, items };
}

/** Whether an endpoint's model reads a file as it is. A model that declares nothing does not: the gateway chooses here. */
function isReadBy(file: FilePart, target: FitTarget, { supports }: Pick<StageContext, 'supports'>): boolean {
  const { fileId, data, url } = file;
  if (fileId !== undefined) return true;
  if (!target.model.inputModalities.includes('file') || !mayBeRead(file)) return false;
  const isInline = data !== undefined || /^data:/i.test(url ?? '');
  return supports(target, isInline ? 'input.file.data' : 'input.file.url');
}

/** Whether any model may read a file as it is; text is better off as text, unless it is to be cited. */
function mayBeRead({ data, url, cites, context }: FilePart): boolean {
  return !isText(data ?? url) || cites !== undefined || context !== undefined;
}

/** Whether an endpoint's model gets the pictures of files. */
function readsPictures(target: FitTarget, { supports }: StageContext): boolean {
  return target.model.inputModalities.includes('image') && supports(target, 'input.image.data');
}

/** Whether a data URL says that it is text, which every model reads. */
function isText(url: string | undefined): boolean {
  return url !== undefined && /^data:text\//i.test(url);
}

/** The file parts of messages and tool outputs, in their order. */
function filesIn(items: readonly Item[]): readonly FilePart[] {
  const files: FilePart[] = [];
  for (const item of items) {
    for (const part of contentOf(item)) if (part.kind === 'file') files.push(part);
  }
  return files;
}

/** Whether any item holds a file; asked for every request. */
function holdsFiles(items: readonly Item[]): boolean {
  for (const item of items) {
    for (const part of contentOf(item)) if (part.kind === 'file') return true;
  }
  return false;
}

/** Items with other parts in place of some; an item without any of these stays the same object. */
function replaceParts(
  items: readonly Item[],
  replace: (part: ContentPart) => readonly ContentPart[] | undefined,
): readonly Item[] {
  let isChanged = false;
  const replaced = items.map((item) => {
    const content = contentOf(item);
    let next: ContentPart[] | undefined;
    for (const [index, part] of content.entries()) {
      const parts = replace(part);
      if (parts !== undefined) next ??= content.slice(0, index);
      next?.push(...(parts ?? [part]));
    }
    if (next === undefined) return item;
    isChanged = true;
    return withContent(item, next);
  });
  return isChanged ? replaced : items;
}

const none: readonly ContentPart[] = [];

function contentOf(item: Item): readonly ContentPart[] {
  if (item.kind === 'message') return item.content;
  return item.kind === 'call_output' ? item.output : none;
}

function withContent(item: Item, parts: readonly ContentPart[]): Item {
  if (item.kind === 'message') return { ...item, content: parts };
  return item.kind === 'call_output' ? { ...item, output: parts } : item;
}
