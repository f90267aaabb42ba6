import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { HeadgateError } from '../../core/errors.ts';
import type { ServerSentEvent } from '../adapter.ts';

const byteOrderMark = '\uFEFF';
const maxEventLength = 32 * 1024 * 1024;

/**
 * Cuts the bytes of a provider's answer into server-sent events. Where the bytes were divided makes no
 * difference: characters, line ends and events may all be split. Comments are skipped.
 */
export class EventStreamParser {
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser: EventSourceParser;
  #begun = false;
  #overflown = false;

  /** @param onEvent called for each event, during `push` or `end`; what it throws, they throw. */
  constructor(onEvent: (event: ServerSentEvent) => void) {
    this.#parser = createParser({
      onEvent: (event) => onEvent({ event: event.event, data: event.data }),
      onError: (error) => {
        // Fields nobody knows are reported here as well; only an endless event is fatal.
        this.#overflown ||= error.type === 'max-buffer-size-exceeded';
      },
      maxBufferSize: maxEventLength,
    });
  }

  /** @throws HeadgateError `provider_failed` when one event is longer than 32 Mi characters. */
  push(chunk: Buffer): void {
    this.#feed(this.#decoder.write(chunk));
  }

  /** The stream is over: a last event without its blank line counts as complete. */
  end(): void {
    this.#feed(`${this.#decoder.end()}\n\n`);
  }

  #feed(text: string): void {
    if (text === '') return;
    const fresh = !this.#begun && text.startsWith(byteOrderMark) ? text.slice(1) : text;
    this.#begun = true;
    this.#parser.feed(fresh);
    if (this.#overflown) throw new HeadgateError('provider_failed', 'The provider sent an endless event.');
  }
}
