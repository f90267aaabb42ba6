import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { WireEvent } from '../stream-checker.ts';
import { eventually } from './eventually.ts';
import type { TestGateway } from './gateway.ts';

/** A message of the server. */
export type SocketMessage = WireEvent & {
  readonly status?: number;
  readonly error?: { readonly code: string; readonly message: string };
  // biome-ignore lint/suspicious/noExplicitAny: each test looks at the members it is about.
  readonly response?: any;
};

/** The model of requests that name none. */
const usualModel = 'acme/atlas-4';

/** Begins a handshake. */
export function connect(gateway: TestGateway, headers: Record<string, string> = {}): WebSocket {
  const url = `${gateway.url.replace('http', 'ws')}/api/v1/responses`;
  return new WebSocket(url, { headers: { authorization: `Bearer ${gateway.key}`, ...headers } });
}

/** A client of the Responses interface whose connection is open. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly #messages: SocketMessage[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.#messages.push(JSON.parse(String(data))));
  }

  static async open(gateway: TestGateway, headers: Record<string, string> = {}): Promise<SocketClient> {
    const client = new SocketClient(connect(gateway, headers));
    await once(client.socket, 'open');
    return client;
  }

  send(body: object): void {
    this.socket.send(
      JSON.stringify({ type: 'response.create', model: usualModel, input: 'How high?', ...body }),
    );
  }

  /** The messages until one of these types came. @throws Error when the connection closes before. */
  until(...types: string[]): Promise<readonly SocketMessage[]> {
    return eventually(`a message of ${types}`, () => {
      const at = this.#messages.findIndex(({ type }) => types.includes(type));
      if (at === -1 && this.socket.readyState === WebSocket.CLOSED) throw new Error('it is closed');
      return at !== -1 && this.#messages.splice(0, at + 1);
    });
  }

  /** All messages of the answer to a request. */
  async turn(body: object = {}): Promise<readonly SocketMessage[]> {
    this.send(body);
    return this.until('response.completed', 'response.incomplete', 'response.failed', 'error');
  }

  /** The last message of the answer to a request. */
  async ask(body: object = {}): Promise<SocketMessage> {
    const last = (await this.turn(body)).at(-1);
    if (last === undefined) throw new Error('no message came');
    return last;
  }

  /** Whether an answer comes before the connection closes. */
  async isAnswered(body: object): Promise<boolean> {
    this.send(body);
    return this.until('response.completed').then(
      () => true,
      () => false,
    );
  }
}
