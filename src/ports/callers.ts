import type { ProviderCredential } from './credentials.ts';
import type { KeySpend, KnownKey } from './keys.ts';
import type { Balance } from './ledger.ts';

/** What is stored of a key and of whoever it belongs to. */
export interface StoredCaller extends KnownKey {
  /** What the key spent; undefined for a key without a limit, which nobody compares it with. */
  readonly spend: KeySpend | undefined;
  /** Of the account, over all its keys: credit that is past its time has been expired. */
  readonly balance: Balance;
  /** The account's own provider credentials that are enabled, of every workspace, by provider, place and age. */
  readonly credentials: readonly ProviderCredential[];
}

/** Everything a request has to know of its caller. */
export interface CallerStore {
  /**
   * The callers of some keys by hash, read together: many cost little more than one. Holds all that was settled
   * before. Keys that are unknown or deleted are missing. One whose credit expires just now comes later than the others,
   * and one that cannot be read fails by itself.
   * @param now Whose windows the spending is told in, Unix milliseconds.
   */
  read(hashes: readonly string[], now: number): Promise<ReadCallers>;
}

/** Callers by the hashes of their keys. */
export type ReadCallers = ReadonlyMap<string, Promise<StoredCaller>>;
