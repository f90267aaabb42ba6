/** Whose files: those of a workspace, or of the account's keys without one. */
export interface FileOwner {
  readonly accountId: string;
  readonly workspaceId: string | null;
}

/** What is known of a file. Times are Unix milliseconds. */
export interface StoredFile {
  /** Begins with `file_hg_`. */
  readonly id: string;
  readonly filename: string;
  /** A media type without parameters. */
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of its contents, in hexadecimal digits. */
  readonly hash: string;
  readonly createdAt: number;
  /** Null for one that is kept until somebody deletes it. */
  readonly expiresAt: number | null;
}

/** Bytes that a file counts as at least: what a disk and its record take for it. */
export const leastFile = 4_096;

/** How much the files of an owner may take together. */
export interface FileRoom {
  readonly files: number;
  readonly bytes: number;
}

/** What a list of files leaves out. */
export interface FileQuery {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The id of the file behind which the page begins, in that order. */
  readonly after?: string;
  /** The id of the file before which the page ends. */
  readonly before?: string;
  /** Part of the name, in any case. */
  readonly name?: string;
}

/** A file that was removed. */
export interface RemovedFile {
  readonly hash: string;
  /** Whether no other file of the owner has these contents. */
  readonly isLast: boolean;
}

/**
 * Stores files of workspaces (docs/spec/files.md). Contents that an owner has twice are stored once. A file past its time is not
 * there any more, whatever is still stored of it.
 */
export interface FileStore {
  /** Whether contents are stored here too; otherwise the caller keeps them. */
  readonly holdsContents: boolean;
  /**
   * Stores a file, all of it or nothing. `full` when the owner's files would take more bytes than there is room for,
   * each at least `leastFile`; `too many` when there would be more of them.
   * @param contents Left out where they are kept elsewhere.
   */
  add(
    owner: FileOwner,
    file: StoredFile,
    contents: Uint8Array | undefined,
    room: FileRoom,
  ): Promise<'full' | 'too many' | undefined>;
  /** Undefined when the owner has none. */
  find(owner: FileOwner, id: string, now: number): Promise<StoredFile | undefined>;
  /** A page of an owner's files by time; undefined when it has no file `after` or `before`. */
  list(
    owner: FileOwner,
    query: FileQuery,
    now: number,
  ): Promise<{ readonly files: readonly StoredFile[]; readonly hasMore: boolean } | undefined>;
  /** The newest file of an owner with this name. */
  findByName(owner: FileOwner, filename: string, now: number): Promise<StoredFile | undefined>;
  /** The contents by their hash; undefined when they are not here. */
  contents(owner: FileOwner, hash: string): Promise<Uint8Array | undefined>;
  /** Deletes a file, and its contents with the last one that has them. Undefined when there is none. */
  remove(owner: FileOwner, id: string): Promise<RemovedFile | undefined>;
  /** Some files whose time is over. */
  expired(now: number, limit: number): Promise<readonly (FileOwner & { readonly id: string })[]>;
  /** Of some hashes in a scope (`fileScope`), those that a file has. */
  used(scope: string, hashes: readonly string[]): Promise<ReadonlySet<string>>;
}
