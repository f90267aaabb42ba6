import { hkdfSync, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';

const keyLength = 32;
const idLength = 8;

/** One master key of the installation: 32 random bytes that other keys are derived from. Never printed. */
export class MasterKey {
  readonly #bytes: Buffer;
  /** Tells keys apart and says nothing of them. */
  readonly id: string;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.id = this.derive('master-key-id', idLength).toString('hex');
  }

  /** A key nobody had before. */
  static create(): MasterKey {
    return new MasterKey(randomBytes(keyLength));
  }

  /** A key for one purpose; from it neither this one nor that of another purpose can be found. */
  derive(purpose: string, length = keyLength): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#bytes, '', purpose, length));
  }

  /** How it is kept: base64. Goes to the key file and nowhere else. */
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
 * Master keys as text: each 32 bytes in base64, apart by commas or line breaks. The first one is current, the
 * others only open what was sealed under them.
 * @param source Names where the text came from, for the message.
 * @throws Error when one of them is no key.
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
