import { hkdfSync, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';

const keyLength = 32;
const idLength = 8;

/** One master key of the installation: 32 random bytes from which other keys are derived. Never printed. */
export class MasterKey {
  readonly #bytes: Buffer;
  /** Identifies the key and reveals nothing of it. */
  readonly id: string;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.id = this.derive('master-key-id', idLength).toString('hex');
  }

  /** Creates a random key. */
  static create(): MasterKey {
    return new MasterKey(randomBytes(keyLength));
  }

  /** Derives a key for one purpose; it reveals neither this key nor that of another purpose. */
  derive(purpose: string, length = keyLength): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#bytes, '', purpose, length));
  }

  /** The stored form, base64. Written to the key file and nowhere else. */
  toBase64(): string {
    return this.#bytes.toString('base64');
  }

  toString(): string {
    return `[master key ${this.id}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/**
 * Parses master keys: each 32 bytes in base64, separated by commas or line breaks. The first one is current; the
 * others only open what was sealed with them.
 * @param source Names the origin of the text, for the message.
 * @throws Error when one of them is not a key.
 */
export function readMasterKeys(text: string, source: string): readonly MasterKey[] {
  const keys = text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => Buffer.from(word, 'base64'));
  if (keys.length === 0 || keys.some((key) => key.length !== keyLength)) {
    throw new Error(
      `${source} must hold ${keyLength} bytes in base64; make one with "openssl rand -base64 32".`,
    );
  }
  return keys.map((key) => new MasterKey(key));
}
