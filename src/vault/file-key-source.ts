import { MasterKey } from '../secrets/master-key.ts';
import type { MasterKeyFile } from '../secrets/master-key-file.ts';
import type { RenewableKeySource } from './key-source.ts';

/**
 * The keys in the file of the data directory; read again when an unknown key is requested and the file has changed.
 */
export class FileKeySource implements RenewableKeySource {
  readonly #file: MasterKeyFile;
  #keys: Promise<readonly MasterKey[]> | undefined;
  #version = '';

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
    if (known !== undefined || (await this.#file.version()) === this.#version) return known;
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

  async #read(): Promise<readonly MasterKey[]> {
    const keys = this.#readNow();
    this.#keys = keys;
    try {
      return await keys;
    } catch (error) {
      if (this.#keys === keys) this.#keys = undefined;
      throw error;
    }
  }

  async #readNow(): Promise<readonly MasterKey[]> {
    // Read first, so that a later change is detected the next time.
    const version = await this.#file.version();
    const keys = await this.#file.read();
    this.#version = version;
    return keys;
  }
}
