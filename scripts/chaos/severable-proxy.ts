import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The state of a link: it passes bytes on with a delay in milliseconds; it is silent, like a network that loses every
 * packet without closing connections; or it refuses connections and has closed the existing ones.
 */
export type LinkState = { readonly delay: number } | 'silent' | 'refusing';

type Change = (piece: Buffer) => Buffer;

/** A TCP proxy that can inject faults. */
export class SeverableProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #target: number;
  readonly #change: Change;
  readonly #sockets = new Set<Socket>();
  #state: LinkState = { delay: 0 };
  #changed = Promise.withResolvers<void>();

  private constructor(server: Server, target: number, change: Change) {
    this.#server = server;
    this.#target = target;
    this.#change = change;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => this.#join(socket));
  }

  /**
   * Listens on a free port of 127.0.0.1 and forwards to `target` there; `change` may rewrite what comes back.
   */
  static async start(target: number, change: Change = unchanged): Promise<SeverableProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SeverableProxy(server, target, change);
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Changes the state. Bytes that a silent link kept back arrive late, like retransmitted packets. */
  async set(state: LinkState): Promise<void> {
    const wasRefusing = this.#state === 'refusing';
    this.#state = state;
    if (state === 'refusing') {
      this.#server.close();
      for (const socket of this.#sockets) socket.resetAndDestroy();
    } else if (wasRefusing) {
      this.#server.listen(this.port, '127.0.0.1');
      await once(this.#server, 'listening');
    }
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async close(): Promise<void> {
    await this.set('refusing');
  }

  #join(near: Socket): void {
    const far = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const [socket, other, change] of [
      [near, far, unchanged],
      [far, near, this.#change],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      this.#forward(socket, other, change);
    }
  }

  #forward(from: Socket, to: Socket, change: Change): void {
    let passed = Promise.resolve();
    from.on('data', (piece: Buffer) => {
      const at = performance.now();
      passed = passed.then(() => this.#passage(at)).then(() => void to.write(change(piece)));
    });
    from.once('end', () => passed.then(() => this.#passage(0)).then(() => to.end()));
  }

  /** Waits as long as the link delays what came at that time. */
  async #passage(at: number): Promise<void> {
    while (this.#state === 'silent') await this.#changed.promise;
    if (typeof this.#state !== 'object') return;
    const left = at + this.#state.delay - performance.now();
    if (left > 0) await sleep(left);
  }
}

function unchanged(piece: Buffer): Buffer {
  return piece;
}
