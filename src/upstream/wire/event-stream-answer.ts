import type { Delta } from '../../core/delta.ts';
import type { AnswerRoom } from '../../ports/answer-room.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import type { AnswerBody } from './answer-body.ts';
import { EventStreamParser } from './event-stream-parser.ts';
import { MessageParser } from './message-parser.ts';
import { refuseCrowded } from './refuse-crowded.ts';
import { WholeAnswer } from './whole-answer.ts';

/** Cuts bytes into events, which it tells the function it was made with. */
interface EventParser {
  /** Bytes or characters of the event that is not whole. */
  readonly buffered: number;
  push(chunks: readonly Buffer[]): void;
  end(): void;
}

/** What may stand before a JSON value: white space and the bytes of a byte order mark. */
const insignificant: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const opensValue: ReadonlySet<number> = new Set(Buffer.from('{['));

/**
 * An answer that comes as events: server-sent ones or binary messages. One that was only announced as server-sent
 * events, but begins as JSON does, is a failure or a whole answer: no line of an event begins so.
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
  /** Whether its first character is still to come, which tells the one kind from the other. */
  #unknown: boolean;
  /** Nothing more comes: an event from here on has no end of its own, and may be the half of one. */
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
      refuseCrowded(event.data);
      // What was to come behind the reason of the end is a count, or the word that it is over.
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
