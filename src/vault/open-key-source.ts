import { MasterKey, readMasterKeys } from '../secrets/master-key.ts';
import { MasterKeyFile } from '../secrets/master-key-file.ts';
import type { Secret } from '../util/secret.ts';
import type { RenewableKeySource } from './key-source.ts';

/**
 * The installation's master keys: the configured ones, else those in the data directory
 * (docs/spec/operations.md#master-keys).
 * @param given One or several, the current one first.
 */
export function openKeySource(dataDirectory: string, given: Secret | undefined): RenewableKeySource {
  if (given === undefined) return new FileKeySource(new MasterKeyFile(dataDirectory));
  return new ConfiguredKeySource(readMasterKeys(given.reveal(), 'HEADGATE_MASTER_KEY'));
}

const remedy =
  'put a new key before it, as HEADGATE_MASTER_KEY=NEW,OLD, restart the servers, run this again, and then leave OLD out';

/** Configured keys, the current one first; the operator renews them. */
export class ConfiguredKeySource implements RenewableKeySource {
  readonly #keys: readonly MasterKey[];

  constructor(keys: readonly MasterKey[]) {
    this.#keys = keys;
  }

  async current(): Promise<MasterKey> {
    const [first] = this.#keys;
    if (first === undefined) throw new Error('There is no master key.');
    return first;
  }

  async find(id: string): Promise<MasterKey | undefined> {
    return this.#keys.find((key) => key.id === id);
  }

  async renew() {
    const [key, ...older] = this.#keys;
    if (key === undefined || older.length === 0)
      throw new Error(`the master key is given from outside: ${remedy}`);
    return { key, replaced: older.map(({ id }) => id) };
  }

  async retire(): Promise<void> {}
}

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
