import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { AnswerRoom } from '../../ports/answer-room.ts';
import { isObject } from '../../util/json.ts';
import type { Decoder } from '../adapter.ts';
import { type AnswerBody, refuseTooManyValues } from './answer-body.ts';
import { endless } from './endless.ts';
import { parseExactly } from './parse-exactly.ts';

const byteOrderMark = 0xfeff;

/** An answer that comes as one JSON body, no longer than its room allows. It says nothing until it is whole. */
export class WholeAnswer implements AnswerBody {
  readonly #decoder: Decoder;
  readonly #room: AnswerRoom;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(decoder: Decoder, room: AnswerRoom) {
    this.#decoder = decoder;
    this.#room = room;
  }

  /** @throws HeadgateError `provider_endless` when the body is too long. */
  push(chunks: readonly Buffer[]): void {
    const before = this.#size;
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
    }
    this.#room.buffer(this.#size - before);
    if (this.#size > this.#room.limit) throw endless('body', this.#room.limit);
  }

  leave(): void {
    this.#room.buffer(-this.#size);
    this.#chunks = [];
    this.#size = 0;
  }

  /**
   * @throws HeadgateError when the body is not a JSON object or has too many values, or what the decoder throws.
   */
  end(into: Delta[]): void {
    const answer = parseBody(this.#text());
    try {
      this.#decode(answer, into);
    } catch (thrown) {
      // Another endpoint can take over only if no part of a broken answer was passed on.
      into.length = 0;
      throw thrown;
    }
  }

  #decode(answer: unknown, into: Delta[]): void {
    if (isObject(answer)) this.#decoder.decodeWhole(answer, into);
    else if (Array.isArray(answer) && answer.every(isObject) && this.#decoder.decodeSeries) {
      this.#decoder.decodeSeries(answer, into);
    } else {
      throw new HeadgateError('provider_failed', 'The provider sent an answer that is not a JSON object.');
    }
  }

  #text(): string {
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks, this.#size);
    refuseTooManyValues(bytes);
    const text = bytes.toString();
    return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  }
}

function parseBody(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
