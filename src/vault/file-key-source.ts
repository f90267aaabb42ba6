import { MasterKey } from '../secrets/master-key.ts';
import type { MasterKeyFile } from '../secrets/master-key-file.ts';
import type { RenewableKeySource } from './key-source.ts';

/** An id nobody knows has the file read again, but not by every request that meets it. */
const readAgainAfter = 500;

/** The keys in the file of the data directory: read again when a key is asked for that was not there. */
export class FileKeySource implements RenewableKeySource {
  readonly #file: MasterKeyFile;
  #keys: Promise<readonly MasterKey[]> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(file: MasterKeyFile) {
    this.#file = file;
  }

  async current(): Promise<MasterKey> {
    const [first] = await this.#read();
    if (first === undefined) throw new Error('There is no master key.');
    return first;
  }

  async find(id: string): Promise<MasterKey | undefined> {
    const known = (await this.#known()).find((key) => key.id === id);
    if (known !== undefined || performance.now() - this.#readAt < readAgainAfter) return known;
    return (await this.#read()).find((key) => key.id === id);
  }

  async renew() {
    const key = MasterKey.create();
    let replaced: readonly string[] = [];
    await this.#file.change((keys) => {
      replaced = keys.map(({ id }) => id);
      return [key, ...keys];
    });
    await this.#read();
    return { key, replaced };
  }

  async retire(ids: readonly string[]): Promise<void> {
    await this.#file.change((keys) => keys.filter(({ id }) => !ids.includes(id)));
    await this.#read();
  }

  #known(): Promise<readonly MasterKey[]> {
    return this.#keys ?? this.#read();
  }

  #read(): Promise<readonly MasterKey[]> {
    const keys = this.#file.read();
    this.#readAt = performance.now();
    this.#keys = keys;
    keys.catch(() => {
      if (this.#keys === keys) this.#keys = undefined;
    });
    return keys;
  }
}
