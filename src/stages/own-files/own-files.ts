import { HeadgateError } from '../../core/errors.ts';
import { ownFilePrefix } from '../../core/file-scope.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { ContentPart, FilePart, ImagePart, Item } from '../../core/request.ts';
import { pictureType } from '../../util/picture-type.ts';
import type { Stage, StageContext } from '../stage.ts';

/** How much the files of one request may have together, in bytes: all of it is in memory while the request runs. */
export const mostFileBytes = 50 * 1024 * 1024;

/** Reads a file of the gateway. @throws HeadgateError `not_found` for one that the owner does not have. */
export type ReadFile = (
  owner: { readonly accountId: string; readonly workspaceId: string | null },
  id: string,
) => Promise<{ readonly filename: string; readonly mimeType: string; readonly contents: Uint8Array }>;

/** Puts files of `/files` in the places of their ids (docs/spec/files.md#in-requests). */
export function createOwnFiles(read: ReadFile, most = mostFileBytes): Stage {
  return {
    place: 'own-files',
    guardsCounts: true,
    begin(request: InferenceRequest) {
      if (!namesOwnFile(request)) return undefined;
      return {
        prepare: (given: InferenceRequest, context) => new Resolver(read, most, context).resolve(given),
      };
    },
  };
}

/** Asked for every request: allocates nothing. */
function namesOwnFile({ canonical: { items } }: InferenceRequest): boolean {
  for (const item of items) {
    for (const part of contentOf(item)) if (isOwn(part)) return true;
  }
  return false;
}

const nothing: readonly ContentPart[] = [];

function contentOf(item: Item): readonly { readonly kind: string }[] {
  if (item.kind === 'message' || item.kind === 'agent_message') return item.content;
  return item.kind === 'call_output' ? item.output : nothing;
}

type OwnPart = (FilePart | ImagePart) & { readonly fileId: string };

function isOwn(part: { readonly kind: string }): part is OwnPart {
  return 'fileId' in part && typeof part.fileId === 'string' && part.fileId.startsWith(ownFilePrefix);
}

/** Reads the files of one request, each once. */
class Resolver {
  readonly #read: ReadFile;
  readonly #context: StageContext;
  #left: number;
  readonly #known = new Map<string, Awaited<ReturnType<ReadFile>> & { readonly url: string }>();

  constructor(read: ReadFile, most: number, context: StageContext) {
    this.#read = read;
    this.#left = most;
    this.#context = context;
  }

  async resolve(request: InferenceRequest): Promise<InferenceRequest> {
    const items: Item[] = [];
    for (const item of request.canonical.items) items.push(await this.#item(item));
    return { ...request, canonical: { ...request.canonical, items } };
  }

  async #item(item: Item): Promise<Item> {
    if (item.kind === 'message') return { ...item, content: await this.#parts(item.content) };
    if (item.kind === 'agent_message') return { ...item, content: await this.#parts(item.content) };
    if (item.kind === 'call_output') return { ...item, output: await this.#parts(item.output) };
    return item;
  }

  async #parts<Part extends { readonly kind: string }>(parts: readonly Part[]): Promise<readonly Part[]> {
    if (!parts.some(isOwn)) return parts;
    const resolved: Part[] = [];
    for (const part of parts) resolved.push(isOwn(part) ? await this.#part(part) : part);
    return resolved;
  }

  async #part<Part extends OwnPart>(part: Part): Promise<Part> {
    const { fileId, ...rest } = part;
    const { url, filename } = await this.#file(fileId);
    const found = part.kind === 'image' ? { url } : { data: url, filename: part.filename ?? filename };
    return { ...rest, ...found } as unknown as Part;
  }

  async #file(id: string) {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    this.#context.signal.throwIfAborted();
    const file = await this.#read(this.#context, id);
    this.#left -= file.contents.byteLength;
    if (this.#left < 0) {
      const message = `The files of a request may have ${mostFileBytes} bytes together; send fewer of them.`;
      throw new HeadgateError('payload_too_large', message);
    }
    const { contents } = file;
    const base64 = Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength).toString('base64');
    const read = { ...file, url: `data:${typeOf(file.mimeType, base64)};base64,${base64}` };
    this.#known.set(id, read);
    return read;
  }
}

/** What the client said at the upload; where it said nothing, what the first bytes show. */
function typeOf(stated: string, base64: string): string {
  if (stated !== 'application/octet-stream') return stated;
  if (base64.startsWith('JVBERi0')) return 'application/pdf';
  return /^(\/9j\/|UklGR|R0lGOD|iVBOR)/.test(base64) ? pictureType(base64) : stated;
}
