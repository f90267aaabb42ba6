import type { SealedSecret } from '../ports/credentials.ts';
import type { DestinationStore } from '../ports/destinations.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import { Secret } from '../util/secret.ts';
import { type SecretOwner, unseal } from './sealing.ts';
import { type SealingKeys, sealAndStore } from './vault.ts';

/** Seals and opens the configs of destinations, which hold secrets of customers. */
export class DestinationSecrets {
  readonly #sealing: SealingKeys;
  readonly #store: Pick<DestinationStore, 'sealed'>;

  constructor(sealing: SealingKeys, store: Pick<DestinationStore, 'sealed'>) {
    this.#sealing = sealing;
    this.#store = store;
  }

  /** Stores a config sealed; `store` is called again where a rotation began meanwhile. */
  seal<Result>(
    config: JsonObject,
    owner: SecretOwner,
    store: (sealed: SealedSecret) => Promise<Result>,
  ): Promise<Result> {
    const secret = new Secret(JSON.stringify(config));
    return sealAndStore(secret, owner, this.#sealing, store, 'destination');
  }

  /** The config of a destination. @param sealed As it was read; read anew by default. @throws Error where it cannot be opened. */
  async open(owner: SecretOwner, sealed?: SealedSecret): Promise<JsonObject> {
    const stored = sealed ?? (await this.#store.sealed(owner.id));
    if (stored === undefined) throw new Error('the destination was deleted');
    const key = await this.#sealing.keys.find(stored.masterKeyId);
    if (key === undefined) {
      // A rotation that ended meanwhile has sealed it again and removed the key.
      const again = sealed === undefined ? undefined : await this.#store.sealed(owner.id);
      if (again !== undefined && again.masterKeyId !== stored.masterKeyId) return this.open(owner, again);
      throw new Error(`its config is sealed under master key ${stored.masterKeyId}, which is not here`);
    }
    const config = parseJson(unseal(stored, owner, key, 'destination').reveal());
    if (!isObject(config)) throw new Error('its config is no object');
    return config;
  }
}
