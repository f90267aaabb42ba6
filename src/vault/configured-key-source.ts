import type { MasterKey } from '../secrets/master-key.ts';
import type { RenewableKeySource } from './key-source.ts';

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
