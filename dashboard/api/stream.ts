import { request } from './client.ts';

/** One event of a streamed answer; comments and the last word of a stream are events without data. */
export interface StreamedEvent {
  /** The bytes of the event, without the blank line after it. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An answer that is read event by event. */
export interface OpenStream {
  /** The generation that is made, for a link to it. */
  readonly id: string | undefined;
  readonly events: AsyncIterable<StreamedEvent>;
}

/** Asks for a response and reads its events. @throws CallFailure before the first one. */
export async function streamResponse(
  body: Readonly<Record<string, unknown>>,
  keyHash: string | undefined,
  signal: AbortSignal,
): Promise<OpenStream> {
  const response = await request('POST', 'ui/api/responses', {
    body: { ...body, stream: true },
    signal,
    headers: keyHash === undefined ? {} : { 'x-headgate-key': keyHash },
  });
  return { id: response.headers.get('x-generation-id') ?? undefined, events: readEvents(response) };
}

/** An event of the stream of running requests. */
export interface LiveMessage {
  /** Where to go on after it; undefined where that is not possible. */
  readonly id: string | undefined;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Watches running requests until the signal is aborted or the server ends it.
 * @param lastId Of the last event of a stream that broke.
 * @throws CallFailure.
 */
export async function* watchRequests(
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
  lastId: string | undefined,
): AsyncIterable<LiveMessage> {
  const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
  const response = await request('GET', 'ui/api/live', { query, signal, headers });
  for await (const { id, name, data } of readEvents(response)) {
    if (name !== '') yield { id, name, data };
  }
}

async function* readEvents(response: Response): AsyncIterable<StreamedEvent & LiveMessage> {
  if (response.body === null) return;
  let rest = '';
  for await (const piece of pieces(response.body.pipeThrough(new TextDecoderStream()))) {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks.map(readEvent);
  }
  if (rest !== '') yield { text: rest, id: undefined, name: '', data: {} };
}

function readEvent(text: string): StreamedEvent & LiveMessage {
  const data = text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
    .join('\n');
  const name = /^event: (.*)$/m.exec(text)?.[1] ?? '';
  const id = /^id: (.*)$/m.exec(text)?.[1];
  return { text, id, name, data: data === '' || data === '[DONE]' ? {} : JSON.parse(data) };
}

/** Not every browser iterates streams by itself. */
async function* pieces(stream: ReadableStream<string>): AsyncIterable<string> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
