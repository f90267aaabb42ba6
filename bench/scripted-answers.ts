/** The scripts of the upstream; it follows one at a time, for every call. */
export type ScriptName = 'short' | 'long' | 'held';

/**
 * Content chunks of each script's streamed answer; `held` sends its first immediately and the rest slowly.
 */
export const contentChunks = { short: 60, long: 600, held: 60 } as const satisfies Record<ScriptName, number>;

/** In the first content chunk and nowhere else: its arrival at the client is the first text. */
export const firstMark = 'Incipit';

/** In the last content chunk and nowhere else: an answer without it is incomplete. */
export const lastMark = 'Explicit';

/** Before and after the microseconds of the machine's clock in a stamped word, and nowhere else. */
export const stampMark = '@';

/** Microseconds of a clock that all processes of the machine share. */
export function sharedMicroseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + Math.round(nanoseconds / 1000);
}

/** A word of a streamed answer, as the bytes of a write, that says when it was sent. */
export function stampedWord(): Buffer {
  return frame(chunkEvent({ content: ` ${stampMark}${sharedMicroseconds()}${stampMark}` }));
}

/** The model name in the upstream's answers. */
export const upstreamModel = 'atlas-4-instruct';

const promptTokens = 212;
const created = 1767225600;
const id = 'chatcmpl-bench0000000000000000';

/** One scripted answer as the bytes of TCP writes. */
export interface ScriptedAnswer {
  /** The text that a client must receive. */
  readonly text: string;
  /** A complete unstreamed HTTP answer. */
  readonly whole: Buffer;
  /** A complete streamed HTTP answer, one buffer for each TCP write. */
  readonly writes: readonly Buffer[];
  /** The pieces of a streamed answer that is kept open: head with the first text, one word, the end. */
  readonly opening: Buffer;
  readonly word: Buffer;
  readonly ending: Buffer;
}

/** Builds the bytes of a script once, so that an answer costs the upstream only a write. */
export function prepareAnswer(script: ScriptName): ScriptedAnswer {
  const pieces = contentPieces(contentChunks[script]);
  const text = pieces.join('');
  const events = [
    chunkEvent({ role: 'assistant', content: '', refusal: null }),
    ...pieces.map((content) => chunkEvent({ content })),
    ...endingEvents(pieces.length),
  ];
  return {
    text,
    whole: wholeAnswer(text, pieces.length),
    writes: inWrites(events, script === 'long' ? 60 : 4),
    opening: Buffer.concat([streamHead, ...events.slice(0, 2).map(frame)]),
    word: frame(chunkEvent({ content: ' word' })),
    ending: Buffer.concat([
      ...[chunkEvent({ content: ` ${lastMark}` }), ...endingEvents(pieces.length)].map(frame),
      lastFrame,
    ]),
  };
}

const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n',
);
const lastFrame = Buffer.from('0\r\n\r\n');

function contentPieces(count: number): string[] {
  const pieces = [firstMark];
  for (let index = 1; index < count - 1; index += 1) pieces.push(` w${(index * 7919) % 1000}`);
  pieces.push(` ${lastMark}`);
  return pieces;
}

function chunkEvent(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return event({ ...chunkEnvelope, choices, usage: null });
}

const chunkEnvelope = {
  id,
  object: 'chat.completion.chunk',
  created,
  model: upstreamModel,
  service_tier: 'default',
  system_fingerprint: 'fp_bench',
};

function endingEvents(completionTokens: number): string[] {
  return [
    chunkEvent({}, 'stop'),
    event({ ...chunkEnvelope, choices: [], usage: usage(completionTokens) }),
    'data: [DONE]\n\n',
  ];
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function usage(completionTokens: number): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

function wholeAnswer(text: string, completionTokens: number): Buffer {
  const message = { role: 'assistant', content: text, refusal: null, annotations: [] };
  const body = JSON.stringify({
    ...chunkEnvelope,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: usage(completionTokens),
  });
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** One HTTP chunk for each event, as providers send them. */
function frame(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

function inWrites(events: readonly string[], count: number): Buffer[] {
  const size = Math.ceil(events.length / count);
  const writes: Buffer[] = [];
  for (let start = 0; start < events.length; start += size) {
    writes.push(Buffer.concat(events.slice(start, start + size).map(frame)));
  }
  const [first, last] = [writes.at(0), writes.at(-1)];
  if (first === undefined || last === undefined) throw new Error('a script needs at least one event');
  writes[0] = Buffer.concat([streamHead, first]);
  writes[writes.length - 1] = Buffer.concat([writes.at(-1) ?? last, lastFrame]);
  return writes;
}
