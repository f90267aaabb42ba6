import type { Delta } from '../../core/delta.ts';
import type { AnswerRoom } from '../../ports/answer-room.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import type { AnswerBody } from './answer-body.ts';
import { EventStreamParser } from './event-stream-parser.ts';
import { MessageParser } from './message-parser.ts';
import { refuseTooManyValues } from './refuse-too-many-values.ts';
import { WholeAnswer } from './whole-answer.ts';

/** Splits bytes into events, which it passes to its callback. */
interface EventParser {
  /** Bytes or characters of the event that is not whole. */
  readonly buffered: number;
  push(chunks: readonly Buffer[]): void;
  end(): void;
}

/** Bytes that may precede a JSON value: white space and the byte order mark. */
const insignificant: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const opensValue: ReadonlySet<number> = new Set(Buffer.from('{['));

/**
 * An answer of events: server-sent ones or binary messages. An answer announced as server-sent events that begins
 * like JSON is a failure or an unstreamed answer, because no line of an event begins so.
 */
export class EventStreamAnswer implements AnswerBody {
  readonly #decoder: Decoder;
  readonly #parser: EventParser;
  readonly #onBegun: () => void;
  readonly #room: AnswerRoom;
  /** What of the parser's buffer is noted. */
  #buffered = 0;
  #into: Delta[] = [];
  #whole: WholeAnswer | undefined;
  /** Whether its first character, which decides the kind, is still to come. */
  #unknown: boolean;
  /** Set at the end of input: from here an event has no terminator, and may be truncated. */
  #over = false;

  /** @param onBegun Called before each event is read, and when a whole answer begins. */
  constructor(
    decoder: Decoder,
    framing: 'events' | 'messages',
    { room, onBegun }: { readonly room: AnswerRoom; readonly onBegun: () => void },
  ) {
    this.#decoder = decoder;
    this.#room = room;
    this.#onBegun = onBegun;
    this.#unknown = framing === 'events';
    const read = (event: ServerSentEvent) => {
      if (decoder.finished) return;
      onBegun();
      refuseTooManyValues(event.data);
      // After the finish reason only usage or an end marker was still to come.
      if (this.#over && decoder.ending && !isObject(parseJson(event.data))) return;
      decoder.decode(event, this.#into);
    };
    this.#parser =
      framing === 'events' ? new EventStreamParser(read, room.limit) : new MessageParser(read, room.limit);
  }

  push(chunks: readonly Buffer[], into: Delta[]): void {
    if (this.#unknown) this.#look(chunks);
    this.#into = into;
    if (this.#whole) {
      this.#whole.push(chunks);
      return;
    }
    this.#parser.push(chunks);
    this.#note(this.#parser.buffered);
  }

  leave(): void {
    this.#whole?.leave();
    this.#note(0);
  }

  #note(buffered: number): void {
    if (buffered === this.#buffered) return;
    this.#room.buffer(buffered - this.#buffered);
    this.#buffered = buffered;
  }

  end(into: Delta[]): void {
    if (this.#whole) {
      this.#whole.end(into);
      return;
    }
    this.#into = into;
    this.#over = true;
    this.#parser.end();
    if (!this.#decoder.finished) this.#decoder.close(into);
  }

  #look(chunks: readonly Buffer[]): void {
    const first = chunks.flatMap((chunk) => chunk.find((byte) => !insignificant.has(byte)) ?? []).at(0);
    if (first === undefined) return;
    this.#unknown = false;
    if (!opensValue.has(first)) return;
    this.#whole = new WholeAnswer(this.#decoder, this.#room);
    this.#onBegun();
  }
}
