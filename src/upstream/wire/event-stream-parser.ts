import { StringDecoder } from 'node:string_decoder';
import type { Delta } from '../../core/delta.ts';
import type { AnswerRoom } from '../../ports/answer-room.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { type AnswerBody, refuseTooManyValues } from './answer-body.ts';
import { endless } from './endless.ts';
import { MessageParser } from './message-parser.ts';
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

const byteOrderMark = 0xfeff;
const lineFeed = 0x0a;
const space = 0x20;

/**
 * Buffer for the reads of one turn. Decoding dozens of small chunks one by one costs several times as much.
 */
const joined = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Splits the bytes of a provider's answer into server-sent events, as in the HTML standard (section 9.2.6). Chunk
 * boundaries make no difference: characters, line ends and events may all be split. Comments and unused fields are
 * skipped.
 */
export class EventStreamParser {
  readonly #onEvent: (event: ServerSentEvent) => void;
  readonly #longest: number;
  readonly #decoder = new StringDecoder('utf8');
  #begun = false;
  /** The last line ended with CR, so an LF directly after it belongs to the same line end. */
  #returned = false;
  /** The pieces of the incomplete line. */
  #line: string[] = [];
  #lineLength = 0;
  #event: string | undefined;
  #data: string | undefined;

  /**
   * @param onEvent Called for each event, during `push` or `end`; what it throws, they throw.
   * @param longest Characters of the longest event.
   */
  constructor(onEvent: (event: ServerSentEvent) => void, longest: number) {
    this.#onEvent = onEvent;
    this.#longest = longest;
  }

  /** Characters of the event that is not whole. */
  get buffered(): number {
    return this.#lineLength + (this.#data?.length ?? 0);
  }

  /** @throws HeadgateError `provider_endless` when one event is too long. */
  push(chunks: readonly Buffer[]): void {
    let length = 0;
    for (const chunk of chunks) {
      if (length + chunk.length > joined.length) {
        this.#decode(joined.subarray(0, length));
        length = 0;
      }
      if (chunks.length === 1 || chunk.length > joined.length) {
        this.#decode(chunk);
      } else {
        joined.set(chunk, length);
        length += chunk.length;
      }
    }
    if (length > 0) this.#decode(joined.subarray(0, length));
  }

  /** Ends the stream: a last event without its blank line counts as complete. */
  end(): void {
    this.#read(this.#decoder.end());
    this.#endLine('', 0, 0);
    this.#dispatch();
  }

  #decode(bytes: Buffer): void {
    this.#read(this.#decoder.write(bytes));
  }

  #read(text: string): void {
    if (text === '') return;
    let at = this.#skip(text);
    // Each is searched for again only after it was passed, so that a text without one is not scanned again for every
    // line.
    let feed = text.indexOf('\n', at);
    let carriage = text.indexOf('\r', at);
    while (feed !== -1 || carriage !== -1) {
      const byReturn = carriage !== -1 && (feed === -1 || carriage < feed);
      const end = byReturn ? carriage : feed;
      this.#endLine(text, at, end);
      at = end + 1;
      if (byReturn) {
        if (feed === at) at += 1;
        else this.#returned = at === text.length;
        carriage = text.indexOf('\r', at);
      }
      if (feed !== -1 && feed < at) feed = text.indexOf('\n', at);
    }
    if (at < text.length) this.#keep(text.slice(at));
  }

  /** How many characters at the beginning of a text belong to no line. */
  #skip(text: string): number {
    const [begun, returned] = [this.#begun, this.#returned];
    this.#begun = true;
    this.#returned = false;
    if (!begun) return text.charCodeAt(0) === byteOrderMark ? 1 : 0;
    return returned && text.charCodeAt(0) === lineFeed ? 1 : 0;
  }

  #keep(piece: string): void {
    this.#line.push(piece);
    this.#lineLength += piece.length;
    this.#refuseEndless();
  }

  /** Ends a line, of which `text` contains the last or only piece. */
  #endLine(text: string, from: number, to: number): void {
    if (this.#line.length === 0) {
      this.#readLine(text, from, to);
      return;
    }
    this.#line.push(text.slice(from, to));
    const line = this.#line.join('');
    this.#line = [];
    this.#lineLength = 0;
    this.#readLine(line, 0, line.length);
  }

  #readLine(text: string, from: number, to: number): void {
    if (from === to) {
      this.#dispatch();
    } else if (text.startsWith('data:', from)) {
      // Fast path for nearly every line. The name contains no line end, so it lies within the line.
      this.#addData(text.slice(text.charCodeAt(from + 5) === space ? from + 6 : from + 5, to));
    } else {
      this.#readField(text.slice(from, to));
    }
  }

  #readField(line: string): void {
    if (line === 'data') this.#addData('');
    if (!line.startsWith('event:')) return;
    const name = line.slice(line.charCodeAt(6) === space ? 7 : 6);
    this.#event = name === '' ? undefined : name;
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    this.#refuseEndless();
  }

  #refuseEndless(): void {
    if (this.buffered > this.#longest) throw endless('event', this.#longest);
  }

  /** Handles a blank line: emits the collected event if it has data. */
  #dispatch(): void {
    const event = this.#event;
    const data = this.#data;
    this.#event = undefined;
    this.#data = undefined;
    if (data !== undefined) this.#onEvent({ event, data });
  }
}
