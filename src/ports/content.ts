import type { SealedSecret, StoredSecret } from './credentials.ts';

/** What was said in one call, sealed. Times are Unix milliseconds. */
export interface SealedContent {
  readonly generationId: string;
  readonly accountId: string;
  readonly workspaceId: string | null;
  readonly keyHash: string;
  readonly at: number;
  readonly expiresAt: number;
  /** The key of the account and the day that it is sealed with. */
  readonly dayKeyId: string;
  /** Base64. */
  readonly sealed: string;
}

/** The key that an account's contents of one day are sealed with, sealed itself. */
export interface DayKey {
  readonly id: string;
  readonly accountId: string;
  /** Days since 1970, of UTC. */
  readonly day: number;
}

/** Which contents to delete; absent members restrict nothing. */
export interface ContentFilter {
  readonly accountId: string;
  readonly workspaceId?: string | undefined;
  readonly keyHash?: string | undefined;
  /** Of calls before this moment, Unix milliseconds. */
  readonly before?: number | undefined;
}

/** Seals what was written in or of a call with a key of its account and day, and opens it. */
export interface ContentVault {
  /** @param owner.at Unix milliseconds. @throws Error where there is no key to seal it with. */
  seal(
    owner: { readonly accountId: string; readonly generationId: string; readonly at: number },
    content: Buffer,
  ): Promise<Pick<SealedContent, 'dayKeyId' | 'sealed'>>;
  /** @throws Error where it was altered, belongs to another call, or its key is not here. */
  open(content: Pick<SealedContent, 'generationId' | 'dayKeyId' | 'sealed'>): Promise<Buffer>;
}

/** Stores what was said in calls (docs/spec/content.md), apart from their records: both are kept for times of their own. */
export interface ContentStore {
  /** Stores some in one transaction; one of the same call replaces the one before. */
  add(contents: readonly SealedContent[]): Promise<void>;
  /** What an account has of a call and is not too old. */
  find(accountId: string, generationId: string, now: number): Promise<SealedContent | undefined>;
  /** Deletes at most `limit`. @returns How many. */
  delete(filter: ContentFilter, limit: number): Promise<number>;
  /** False where there is none. */
  deleteOne(accountId: string, generationId: string): Promise<boolean>;
  /** Deletes at most `limit` that are too old, and keys that no content needs any more. @returns How many contents. */
  prune(now: number, limit: number): Promise<number>;
  /** Stores a day's key unless there is one. @returns The one that is stored. @throws StaleMasterKey. */
  keepDayKey(key: DayKey, sealed: SealedSecret): Promise<StoredSecret>;
  /** Deletes keys of days that no content and no comment needs, of today too. */
  dropSpareKeys(): Promise<void>;
  dayKey(id: string): Promise<StoredSecret | undefined>;
  /** At most `limit` keys of days that are sealed under another master key. */
  sealedUnderOthers(masterKeyId: string, limit: number): Promise<readonly StoredSecret[]>;
  /** See `CredentialStore.replaceSealed`. */
  replaceSealed(id: string, before: SealedSecret, after: SealedSecret): Promise<boolean>;
}
