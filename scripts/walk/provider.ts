import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider of Anthropic Messages that sends its answer word by word, each when `say` is called. */
export interface WalkedProvider extends AsyncDisposable {
  readonly url: string;
  /** Sends one word of the running answer, or of the next one; or ends it. */
  say(part: 'word' | 'end'): void;
}

const start = [
  {
    type: 'message_start',
    message: {
      id: 'msg_walk',
      type: 'message',
      role: 'assistant',
      model: 'claude-walk',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
];
const word = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } };
const end = [
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
];

/** Starts the provider on a free port. */
export async function startProvider(): Promise<WalkedProvider> {
  let answer: ServerResponse | undefined;
  const owed: ('word' | 'end')[] = [];
  const write = (events: readonly { readonly type: string }[]) =>
    answer?.write(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  const say = (part: 'word' | 'end') => {
    if (answer === undefined) owed.push(part);
    else if (part === 'word') write([word]);
    else {
      write(end);
      answer.end();
      answer = undefined;
    }
  };
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answer = response;
    write(start);
    for (const part of owed.splice(0)) say(part);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    say,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
