import type { ServerResponse } from 'node:http';
import type { ServerConfig } from '../config/config.ts';
import type { ResponseObject, StreamEvent } from '../core/response.ts';
import { wellFormedJson } from '../util/well-formed-json.ts';
import { endStall, limitStall } from './limit-stall.ts';

const keepAliveComment = ': SERVICE PROCESSING\n\n';
const lastChunk = '0\r\n\r\n';
const sentinel = 'data: [DONE]\n\n';

/** The headers of every event stream (responses.md 8.1, 10). */
export const eventStreamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  connection: 'close',
};

/**
 * Writes one event stream to a client by responses.md 8.1: nothing before the first event or the first
 * keep-alive, a comment after each silence, each event whole in one write, and the sentinel at the end.
 */
export class EventStreamWriter {
  readonly #response: ServerResponse;
  #headers: Readonly<Record<string, string>>;
  readonly #keepAlive: NodeJS.Timeout;
  readonly #sendTimeout: number;
  /** Whether the body goes in chunks; a client of HTTP/1.0 gets it until the connection ends. */
  #chunked = false;

  constructor(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    { keepAlive, sendTimeout }: Pick<ServerConfig, 'keepAlive' | 'sendTimeout'>,
  ) {
    this.#response = response;
    this.#headers = headers;
    this.#keepAlive = setInterval(() => this.#write(keepAliveComment), keepAlive);
    this.#sendTimeout = sendTimeout;
  }

  /** Whether the status was sent: from then on a failure can only be an event. */
  get committed(): boolean {
    return this.#response.headersSent;
  }

  /** Adds headers, if they are not sent yet. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = { ...this.#headers, ...headers };
  }

  /** Writes events that belong together. Resolves when the client keeps up, or has gone or takes nothing. */
  write(events: readonly StreamEvent[]): Promise<void> {
    return this.writeText(encodeEvents(events));
  }

  /** Writes events that are encoded already. */
  async writeText(text: string): Promise<void> {
    this.#keepAlive.refresh();
    if (this.#write(text) || this.#response.destroyed) return;
    limitStall(this.#response, this.#sendTimeout);
    await drained(this.#response);
    endStall(this.#response);
  }

  /** Writes the last events and the sentinel in one piece, then closes. */
  end(events: readonly StreamEvent[]): void {
    this.endText(encodeFinal(events));
  }

  /** Writes the last events, encoded already with their sentinel, then closes. */
  endText(text: string): void {
    this.stop();
    this.#commit();
    const { bytes, encoding } = this.#frame(text, lastChunk);
    this.#response.end(bytes, encoding);
    limitStall(this.#response, this.#sendTimeout);
  }

  /** Ends the keep-alives. Writes nothing. */
  stop(): void {
    clearInterval(this.#keepAlive);
  }

  #write(text: string): boolean {
    this.#commit();
    const { bytes, encoding } = this.#frame(text, '');
    return this.#response.write(bytes, encoding);
  }

  #commit(): void {
    const response = this.#response;
    if (response.headersSent) return;
    response.writeHead(200, this.#headers);
    this.#chunked = response.chunkedEncoding;
    // Node would write each chunk in four pieces, and gather them again.
    response.chunkedEncoding = false;
  }

  /** A text as it is sent, in one piece; what is ASCII is copied as it is. */
  #frame(text: string, after: string): { readonly bytes: string; readonly encoding: 'latin1' | 'utf8' } {
    const length = Buffer.byteLength(text);
    // A chunk of no bytes would be the last one.
    const chunk = length === 0 ? '' : `${length.toString(16)}\r\n${text}\r\n`;
    return {
      bytes: this.#chunked ? chunk + after : text,
      encoding: length === text.length ? 'latin1' : 'utf8',
    };
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** Whether an event is the last one of its stream. */
export function endsStream(event: StreamEvent | undefined): boolean {
  const type = event?.type;
  return type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';
}

/** The bytes a stream ends with: its last events and the sentinel. */
export function encodeFinal(events: readonly StreamEvent[]): string {
  return encodeEvents(events) + sentinel;
}

/** The bytes of events: name, one line of JSON, blank line. */
export function encodeEvents(events: readonly StreamEvent[]): string {
  let text = '';
  let snapshot: { readonly of: ResponseObject; readonly json: string } | undefined;
  let part: { readonly of: TextDelta; readonly head: string } | undefined;
  for (const event of events) {
    if (event.type === 'response.output_text.delta' && event.logprobs.length === 0) {
      // Nine of ten events are this one: written so it costs a fifth.
      if (part === undefined || !isOfSamePart(event, part.of)) part = { of: event, head: headOf(event) };
      const { delta, sequence_number } = event;
      text += `${part.head}${JSON.stringify(delta)},"logprobs":[],"sequence_number":${sequence_number}}\n\n`;
    } else if (event.type === 'response.created' || event.type === 'response.in_progress') {
      // The first two events show the same snapshot, which may hold many tools.
      if (snapshot?.of !== event.response) {
        snapshot = { of: event.response, json: JSON.stringify(event.response) };
      }
      const data = `{"type":"${event.type}","response":${snapshot.json},"sequence_number":${event.sequence_number}}`;
      text += `event: ${event.type}\ndata: ${data}\n\n`;
    } else text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return wellFormedJson(text);
}

type TextDelta = Extract<StreamEvent, { type: 'response.output_text.delta' }>;

function isOfSamePart(event: TextDelta, other: TextDelta): boolean {
  return event.item_id === other.item_id && event.content_index === other.content_index;
}

/** A text delta's bytes up to its text; ids are our own and need no escape. */
function headOf({ type, item_id, output_index, content_index }: TextDelta): string {
  return `event: ${type}\ndata: {"type":"${type}","item_id":"${item_id}","output_index":${output_index},"content_index":${content_index},"delta":`;
}
