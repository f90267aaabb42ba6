import { isObject, parseJson } from './json.ts';

const [quote, backslash, opening, closing] = [0x22, 0x5c, 0x7b, 0x7d];

/**
 * The text of a JSON object that arrives in pieces, such as the arguments of a call. Whether it is complete may be
 * asked after each piece: every character is scanned once, and the text parsed once.
 */
export class ArrivingObject {
  #scanned = '';
  /** Text that arrived since the last check. */
  #unread = '';
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The progress: before the last brace, at it, or beyond, where nothing can make it an object any more. */
  #stage: 'open' | 'closed' | 'broken' = 'open';
  #isObject: boolean | undefined;

  /** The text so far. */
  get text(): string {
    return this.#scanned + this.#unread;
  }

  /** Adds the next piece. */
  add(piece: string): void {
    this.#unread += piece;
  }

  /** Whether it is an object with nothing but white space around it. */
  get isWhole(): boolean {
    const unread = this.#unread;
    this.#unread = '';
    this.#scanned += unread;
    for (let at = 0; at < unread.length && this.#stage !== 'broken'; at++) this.#read(unread.charCodeAt(at));
    if (this.#stage !== 'closed') return false;
    this.#isObject ??= isObject(parseJson(this.#scanned));
    return this.#isObject;
  }

  #read(code: number): void {
    if (this.#inString) this.#readString(code);
    else if (code === opening && this.#stage === 'open') this.#depth += 1;
    else if (isBlank(code)) return;
    else if (this.#depth === 0) this.#stage = 'broken';
    else if (code === quote) this.#inString = true;
    else if (code === closing && --this.#depth === 0) this.#stage = 'closed';
  }

  #readString(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === backslash) this.#escaped = true;
    else if (code === quote) this.#inString = false;
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
