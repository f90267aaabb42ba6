import { WebSocketServer } from 'ws';
import { HeadgateError } from '../../core/errors.ts';
import { tooMany } from '../../core/too-many.ts';
import { headerText } from '../../http/request.ts';
import { takeUpgrade } from '../../http/server.ts';
import type { SocketServices } from '../inference-services.ts';
import type { KeyedCall } from '../route.ts';
import { SocketSession } from './socket-session.ts';

/** Open connections of one key. */
const mostOfKey = 200;
/** Seconds after which one of them may be closed. */
const crowdedRetry = 5;

/** The connections at `GET /responses` (docs/spec/websocket.md). */
export class ResponseSockets {
  readonly #services: SocketServices;
  /** Undefined until the first connection. */
  #server: WebSocketServer | undefined;
  readonly #open = new Map<string, Set<SocketSession>>();

  constructor(services: SocketServices) {
    this.#services = services;
  }

  /**
   * Turns the connection of a request into a session.
   * @throws HeadgateError `permission_denied` for a page of another origin, `platform_rate_limit` when the key has too many,
   *   `method_not_allowed` for a request that asks for no WebSocket.
   */
  connect(call: KeyedCall): void {
    refuseForeignOrigin(call, this.#services.config.server.corsOrigins);
    const { hash } = call.caller.key;
    const ofKey = this.#open.get(hash);
    if (ofKey !== undefined && ofKey.size >= mostOfKey) {
      const message = `Your API key has ${mostOfKey} connections open, which is the most.`;
      const now = this.#services.clock.now();
      throw tooMany(message, { limit: mostOfKey, resetsAt: now + crowdedRetry * 1000, now });
    }
    const upgrade = takeUpgrade(call.reply.raw);
    if (upgrade === undefined) {
      const message =
        'GET /responses opens a WebSocket: send "Upgrade: websocket". Requests of HTTP are POST.';
      throw new HeadgateError('method_not_allowed', message, { headers: { allow: 'POST' } });
    }
    const { request, socket, head } = upgrade;
    this.#server ??= this.#listen();
    this.#server.handleUpgrade(request, socket, head, (connection) => {
      const session = new SocketSession(connection, socket, call, this.#services);
      const sessions = this.#open.get(hash) ?? new Set();
      this.#open.set(hash, sessions.add(session));
      connection.once('close', () => {
        sessions.delete(session);
        if (sessions.size === 0) this.#open.delete(hash);
      });
    });
  }

  #listen(): WebSocketServer {
    this.#services.lifecycle.onDrain(() => this.#drain());
    return new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: this.#services.config.server.bodyLimit,
      perMessageDeflate: false,
      // Answered by the session, which never buffers them for a client that takes nothing.
      autoPong: false,
    });
  }

  #drain(): void {
    for (const sessions of this.#open.values()) for (const session of sessions) session.drain();
  }
}

/** Browsers let any page open a WebSocket, and send along what the user's own page would. */
function refuseForeignOrigin({ headers, arrival }: KeyedCall, allowed: readonly string[]): void {
  const origin = headerText({ headers }, 'origin');
  if (origin === undefined || allowed.includes('*') || allowed.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === arrival.headers.host) return;
  throw new HeadgateError(
    'permission_denied',
    'Pages of this origin may not connect: it is not in server.cors_origins.',
  );
}
