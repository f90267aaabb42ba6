import type { Delta } from '../../core/delta.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import type { AnswerBody } from './answer-body.ts';
import { EventStreamParser } from './event-stream-parser.ts';
import { MessageParser } from './message-parser.ts';

/** Cuts bytes into events, which it tells the function it was made with. */
interface EventParser {
  push(chunks: readonly Buffer[]): void;
  end(): void;
}

/** An answer that comes as events: server-sent ones or binary messages. */
export class EventStreamAnswer implements AnswerBody {
  readonly #decoder: Decoder;
  readonly #parser: EventParser;
  #into: Delta[] = [];

  /** @param onEvent told before each event is read. */
  constructor(decoder: Decoder, framing: 'events' | 'messages', onEvent: () => void) {
    this.#decoder = decoder;
    const read = (event: ServerSentEvent) => {
      if (decoder.finished) return;
      onEvent();
      decoder.decode(event, this.#into);
    };
    this.#parser = framing === 'events' ? new EventStreamParser(read) : new MessageParser(read);
  }

  push(chunks: readonly Buffer[], into: Delta[]): void {
    this.#into = into;
    this.#parser.push(chunks);
  }

  end(into: Delta[]): void {
    this.#into = into;
    this.#parser.end();
    if (!this.#decoder.finished) this.#decoder.close(into);
  }
}
