import { createHash } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import { fileScope } from '../core/file-scope.ts';
import { createId } from '../core/ids.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type FileOwner,
  type FileQuery,
  type FileRoom,
  type FileStore,
  leastFile,
  type StoredFile,
} from '../ports/files.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';
import type { FileDirectory } from './file-directory.ts';
import { checkFileName, cleanMediaType } from './file-name.ts';

/** Bytes of a file (docs/spec/files.md#limits). */
const longestFile = 25 * 1024 * 1024;

const hour = 60 * 60_000;

/** What files are made of. */
export interface FileParts {
  readonly store: FileStore;
  /** Where contents are; not used where the store holds them itself. */
  readonly directory: FileDirectory;
  readonly clock: Clock;
  /** How much the files of a workspace may take; asked for each file. */
  readonly room: () => FileRoom;
  /** Called with each error that occurs while old files are removed. */
  readonly onFailure?: (error: unknown) => void;
}

/** A file that is about to be stored. */
export interface NewFile {
  readonly filename: string;
  readonly mimeType: string;
  readonly contents: Uint8Array;
  /** Milliseconds; without it the file is kept until somebody deletes it. */
  readonly lifetime?: number;
}

/** A file whose contents are kept beside the store. */
interface BesideStore {
  readonly scope: string;
  readonly file: StoredFile;
  readonly contents: Uint8Array;
  readonly room: FileRoom;
}

/** Files with their contents (docs/spec/files.md). */
export class StoredFiles {
  readonly #parts: FileParts;
  readonly #task: RecurringTask;
  /** Changes of one owner come one after the other, so that contents are not removed while a file with them is stored. */
  readonly #changing = new Map<string, Promise<unknown>>();

  constructor(parts: FileParts) {
    this.#parts = parts;
    this.#task = new RecurringTask(
      () => this.clean(),
      () => hour,
    );
  }

  /**
   * Stores a file.
   * @throws HeadgateError `invalid_request` for a name that cannot be, `payload_too_large` for one that is too large, or
   *   for which the owner has no room.
   */
  async add(owner: FileOwner, { filename, mimeType, contents, lifetime }: NewFile): Promise<StoredFile> {
    const { store, clock } = this.#parts;
    checkFileName(filename);
    if (contents.byteLength > longestFile) {
      throw tooLarge(`A file may have ${longestFile} bytes; this one has ${contents.byteLength}.`);
    }
    const room = this.#parts.room();
    const createdAt = clock.now();
    const file: StoredFile = {
      id: createId('file_hg_'),
      filename,
      mimeType: cleanMediaType(mimeType),
      size: contents.byteLength,
      hash: createHash('sha256').update(contents).digest('hex'),
      createdAt,
      expiresAt: lifetime === undefined ? null : createdAt + lifetime,
    };
    const full = store.holdsContents
      ? await store.add(owner, file, contents, room)
      : await this.#alone(owner, (scope) => this.#addBeside(owner, { scope, file, contents, room }));
    if (full === undefined) return file;
    throw tooLarge(
      full === 'too many'
        ? `A workspace may have ${room.files} files; delete some.`
        : `The files of a workspace may have ${room.bytes} bytes together, each counted as at least ${leastFile}; delete some.`,
    );
  }

  /** @throws HeadgateError `not_found` when the owner has no such file. */
  async find(owner: FileOwner, id: string): Promise<StoredFile> {
    const { store, clock } = this.#parts;
    return (await store.find(owner, id, clock.now())) ?? missing(id);
  }

  /** The newest file of a name. @throws HeadgateError `not_found`. */
  async findByName(owner: FileOwner, filename: string): Promise<StoredFile> {
    const { store, clock } = this.#parts;
    return (await store.findByName(owner, filename, clock.now())) ?? missing(filename);
  }

  /** A page of files. @throws HeadgateError `invalid_request` for a place in the list that is not there. */
  async list(owner: FileOwner, query: FileQuery) {
    const { store, clock } = this.#parts;
    const page = await store.list(owner, query, clock.now());
    if (page !== undefined) return page;
    const { after, before } = query;
    const at = after === undefined ? `before_id: "${before}"` : `after: "${after}"`;
    throw new HeadgateError('invalid_request', `${at} is no file of this workspace; leave it out`);
  }

  /**
   * The contents of a file: what every part of the gateway uses that meets a `file_hg_…` id.
   * @throws HeadgateError `not_found` when the owner has no such file.
   */
  async read(owner: FileOwner, id: string): Promise<StoredFile & { readonly contents: Uint8Array }> {
    const file = await this.find(owner, id);
    const { store, directory } = this.#parts;
    const contents = store.holdsContents
      ? await store.contents(owner, file.hash)
      : await directory.read(fileScope(owner), file.hash);
    if (contents === undefined) return missing(id);
    return { ...file, contents };
  }

  /** Deletes a file. @throws HeadgateError `not_found`. */
  async remove(owner: FileOwner, id: string): Promise<void> {
    const { store, directory } = this.#parts;
    const removed = await this.#alone(owner, async (scope) => {
      const gone = await store.remove(owner, id);
      if (gone?.isLast === true && !store.holdsContents) await directory.remove(scope, gone.hash);
      return gone;
    });
    if (removed === undefined) missing(id);
  }

  /** Removes files whose time is over, and contents that no file has. Never rejects. */
  async clean(): Promise<void> {
    const { store, directory, clock, onFailure } = this.#parts;
    try {
      for (const { id, ...owner } of await store.expired(clock.now(), 1000)) {
        await this.remove(owner, id).catch(ignoreMissing);
      }
      if (!store.holdsContents) {
        await directory.sweep((scope, hashes) => store.used(scope, hashes), clock.now());
      }
    } catch (error) {
      onFailure?.(error);
    }
  }

  close(): void {
    this.#task.close();
  }

  async #addBeside(owner: FileOwner, { scope, file, contents, room }: BesideStore) {
    const { store, directory } = this.#parts;
    await directory.write(scope, file.hash, contents);
    const full = await store.add(owner, file, undefined, room);
    if (full === undefined) return undefined;
    if (!(await store.used(scope, [file.hash])).has(file.hash)) await directory.remove(scope, file.hash);
    return full;
  }

  /** Runs a change once those before it of the same owner are over. */
  async #alone<Result>(owner: FileOwner, work: (scope: string) => Promise<Result>): Promise<Result> {
    const scope = fileScope(owner);
    const before = this.#changing.get(scope);
    const run = (async () => {
      await before?.catch(() => undefined);
      return work(scope);
    })();
    this.#changing.set(scope, run);
    try {
      return await run;
    } finally {
      if (this.#changing.get(scope) === run) this.#changing.delete(scope);
    }
  }
}

function tooLarge(message: string): HeadgateError {
  return new HeadgateError('payload_too_large', message);
}

function missing(id: string): never {
  throw new HeadgateError('not_found', `There is no file "${id}" in this workspace.`);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof HeadgateError && error.code === 'not_found')) throw error;
}
