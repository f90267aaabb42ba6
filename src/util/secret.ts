import { inspect } from 'node:util';

/** A credential that cannot be printed, logged or serialized by accident; only `reveal` returns the text. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The raw text. Call it only where the bytes go to the provider. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
