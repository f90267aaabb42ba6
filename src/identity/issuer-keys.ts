import type { KeySource } from '../core/workloads.ts';
import { LinkedMap } from '../util/linked-map.ts';
import { fetchKeys, type PublishedKeys } from './fetch-keys.ts';
import { KeysUnavailable, TokenFault } from './token-fault.ts';

/** Milliseconds after which keys in use are read again behind the requests that use them, and before the next request. */
const refreshAfter = 5 * 60_000;
const expireAfter = 10 * 60_000;
/** Milliseconds between two readings because of a key that is not known; of a file, which costs nothing. */
const pause = 30_000;
const filePause = 1_000;
/** Milliseconds between two attempts while there are no keys at all. */
const firstPause = 5_000;
/** Names of keys that were looked for in vain, and for how long they are remembered. */
const mostUnknown = 128;
const unknownFor = 5 * 60_000;

/** Receives the reason why keys could not be read. */
export type OnKeysFailure = (message: string) => void;

/**
 * The keys of one issuer, kept in memory (docs/spec/workloads.md#keys-of-an-issuer). A name that is not known makes them
 * be read again at most once in 30 seconds, however many tokens come; keys that cannot be read go on serving for a while.
 */
export class IssuerKeys {
  readonly #source: KeySource;
  readonly #staleFor: number;
  readonly #now: () => number;
  readonly #onFailure: OnKeysFailure;
  readonly #unknown = new LinkedMap<string, number>();
  #keys: PublishedKeys | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;

  /**
   * @param staleFor Milliseconds for which keys serve that cannot be read again.
   * @param now Unix milliseconds.
   */
  constructor(source: KeySource, staleFor: number, now: () => number, onFailure: OnKeysFailure) {
    this.#source = source;
    this.#staleFor = staleFor;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /** How many milliseconds old the keys are, where reading them again was tried later in vain. */
  get staleAge(): number | undefined {
    const age = this.#now() - this.#loadedAt;
    return this.#triedAt > this.#loadedAt && age > expireAfter ? age : undefined;
  }

  /** The keys as known. @throws KeysUnavailable before they were read once, TokenFault once they are too old. */
  async current(): Promise<PublishedKeys> {
    const age = this.#now() - this.#loadedAt;
    if (this.#keys === undefined || age > expireAfter || age < 0) await this.#read(firstPause);
    else if (age > refreshAfter) void this.#read(pause);
    return this.#serving();
  }

  /**
   * The keys once more, where a name is not among them: read again if that was not tried lately. Undefined where nothing new
   * can be known of this name.
   */
  async lookFor(kid: string): Promise<PublishedKeys | undefined> {
    const now = this.#now();
    const until = this.#unknown.get(kid);
    if (until !== undefined && until > now) return undefined;
    const pauseOfSource = this.#source.file === undefined ? pause : filePause;
    if (this.#loading === undefined && now - this.#triedAt < pauseOfSource) return undefined;
    await this.#read(pauseOfSource);
    const keys = this.#serving();
    if (keys.keys.some((key) => key.kid === kid)) return keys;
    this.#unknown.set(kid, now + unknownFor);
    const { oldest } = this.#unknown;
    if (this.#unknown.size > mostUnknown && oldest !== undefined) this.#unknown.delete(oldest[0]);
    return undefined;
  }

  #serving(): PublishedKeys {
    if (this.#keys !== undefined && this.#now() - this.#loadedAt <= expireAfter + this.#staleFor) {
      return this.#keys;
    }
    if (this.#keys === undefined) throw new KeysUnavailable('the keys of the issuer cannot be read');
    throw new TokenFault('jwt_keys_too_old', 'the keys of the issuer cannot be read again for too long');
  }

  /** Reads once for all who ask meanwhile. A failure is reported and leaves the keys as they are. */
  #read(pauseBetween: number): Promise<void> {
    if (this.#loading !== undefined) return this.#loading;
    const now = this.#now();
    if (now - this.#triedAt < pauseBetween && now >= this.#triedAt) return Promise.resolve();
    this.#triedAt = now;
    const loading = fetchKeys(this.#source)
      .then(
        (keys) => {
          this.#keys = keys;
          this.#loadedAt = this.#now();
          for (const { kid } of keys.keys) if (typeof kid === 'string') this.#unknown.delete(kid);
        },
        (error: unknown) => this.#onFailure(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        this.#loading = undefined;
      });
    this.#loading = loading;
    return loading;
  }
}
