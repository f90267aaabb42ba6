import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatBody } from '../fake-upstream/chat-stream.ts';

/** A provider that keeps every request waiting until it is told to answer. */
export interface HoldingUpstream {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  /** Requests that ever came. */
  readonly received: number;
  /** Resolves when so many requests have come. */
  reached(count: number): Promise<void>;
  /** Answers all requests that wait and all that come later: nine tokens in, one out. */
  release(): void;
  close(): Promise<void>;
}

/** Starts it on a free port. It speaks the chat dialect, unstreamed. */
export async function startHoldingUpstream(): Promise<HoldingUpstream> {
  const waiting: ServerResponse[] = [];
  let received = 0;
  let released = false;
  const server = createServer((request, response) => {
    request.resume();
    received += 1;
    if (released) answer(response);
    else waiting.push(response);
    server.emit('held');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get received() {
      return received;
    },
    reached: async (count) => {
      while (received < count) await once(server, 'held');
    },
    release: () => {
      released = true;
      for (const response of waiting.splice(0)) answer(response);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(chatBody('Good day.'));
}
