import type { Delta } from '../../core/delta.ts';
import type { Decoder } from '../adapter.ts';
import type { AnswerBody } from './answer-body.ts';
import { EventStreamParser } from './event-stream-parser.ts';

/** An answer that comes as server-sent events. */
export class EventStreamAnswer implements AnswerBody {
  readonly #decoder: Decoder;
  readonly #parser: EventStreamParser;
  #into: Delta[] = [];

  /** @param onEvent told before each event is read. */
  constructor(decoder: Decoder, onEvent: () => void) {
    this.#decoder = decoder;
    this.#parser = new EventStreamParser((event) => {
      if (decoder.finished) return;
      onEvent();
      decoder.decode(event, this.#into);
    });
  }

  push(chunk: Buffer, into: Delta[]): void {
    this.#into = into;
    this.#parser.push(chunk);
  }

  end(into: Delta[]): void {
    this.#into = into;
    this.#parser.end();
    if (!this.#decoder.finished) this.#decoder.close(into);
  }
}
