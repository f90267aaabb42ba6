import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import type { ContentStore, ContentVault, SealedContent } from '../ports/content.ts';
import type { StoredSecret } from '../ports/credentials.ts';
import { Secret } from '../util/secret.ts';
import { utcDay } from '../util/utc-windows.ts';
import { unseal } from './sealing.ts';
import { type SealingKeys, sealAndStore } from './vault.ts';

const algorithm = 'aes-256-gcm';
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;
/** Keys that stay in memory: the oldest goes first. */
const mostKeys = 1_000;

type ContentOwner = Parameters<ContentVault['seal']>[0];

interface OpenKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Seals what was said with a key of its account and day, which is sealed under the master key itself
 * (docs/spec/content.md#how-it-is-kept). Without its key nothing of that day can be read, in no backup either.
 */
export class DayKeyVault implements ContentVault {
  readonly #sealing: SealingKeys;
  readonly #store: Pick<ContentStore, 'keepDayKey' | 'dayKey'>;
  readonly #keys = new Map<string, Promise<OpenKey>>();

  constructor(sealing: SealingKeys, store: Pick<ContentStore, 'keepDayKey' | 'dayKey'>) {
    this.#sealing = sealing;
    this.#store = store;
  }

  async seal(owner: ContentOwner, content: Buffer): Promise<Pick<SealedContent, 'dayKeyId' | 'sealed'>> {
    const { id, key } = await this.#keyOf(owner);
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(owner.generationId));
    const parts = [nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()];
    return { dayKeyId: id, sealed: Buffer.concat(parts).toString('base64') };
  }

  async open({ generationId, dayKeyId, sealed }: Parameters<ContentVault['open']>[0]): Promise<Buffer> {
    const stored = await this.#store.dayKey(dayKeyId);
    if (stored === undefined) throw new Error('the key of its day was deleted');
    const bytes = Buffer.from(sealed, 'base64');
    const nonce = bytes.subarray(0, nonceLength);
    const decipher = createDecipheriv(algorithm, await this.#opened(stored), nonce, {
      authTagLength: tagLength,
    });
    decipher.setAAD(Buffer.from(generationId));
    decipher.setAuthTag(bytes.subarray(-tagLength));
    return Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]);
  }

  #keyOf({ accountId, at }: ContentOwner): Promise<OpenKey> {
    const day = utcDay(at);
    const name = `${accountId} ${day}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const opening = this.#begin(accountId, day);
    this.#keys.set(name, opening);
    opening.catch(() => this.#keys.delete(name));
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > mostKeys && oldest !== undefined) this.#keys.delete(oldest);
    return opening;
  }

  /** The key of a day: a new one, unless another process was first. */
  async #begin(accountId: string, day: number): Promise<OpenKey> {
    const id = randomUUID();
    const secret = new Secret(randomBytes(keyLength).toString('base64'));
    const stored = await sealAndStore(
      secret,
      { id, accountId },
      this.#sealing,
      (sealed) => this.#store.keepDayKey({ id, accountId, day }, sealed),
      'content',
    );
    return { id: stored.id, key: await this.#opened(stored) };
  }

  async #opened(stored: StoredSecret): Promise<Buffer> {
    const { masterKeyId } = stored.sealed;
    const master = await this.#sealing.keys.find(masterKeyId);
    if (master !== undefined)
      return Buffer.from(unseal(stored.sealed, stored, master, 'content').reveal(), 'base64');
    // A rotation that ended meanwhile has sealed it again and removed the key.
    const again = await this.#store.dayKey(stored.id);
    if (again !== undefined && again.sealed.masterKeyId !== masterKeyId) return this.#opened(again);
    throw new Error(`the key of its day is sealed under master key ${masterKeyId}, which is not here`);
  }
}
