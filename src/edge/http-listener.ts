import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket, type Server as SocketServer } from 'node:net';
import type { ServerConfig } from '../config/config.ts';
import { isPrivate, plainAddress } from '../http/client-address.ts';
import { createHttpServer } from '../http/server.ts';
import { listsAddress } from '../util/address-list.ts';
import { type TlsFiles, type TlsIdentity, type TlsWatch, watchTlsIdentity } from '../util/tls-identity.ts';
import { createEdge, type ServedRoutes } from './edge.ts';
import type { EdgeLog, EdgeServices } from './edge-services.ts';
import { refuseInvalid, refuseUnreadable } from './refuse-unreadable.ts';

/** Where to listen. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** Connections that may wait to be accepted. */
  readonly backlog: number;
}

/** The public listener: one HTTP server, with TLS where it is configured, that answers by a table of routes. */
export class HttpListener {
  readonly server: Server;
  /** Of the further addresses that `localhost` means. */
  readonly #others: SocketServer[] = [];
  #closing = false;
  readonly #tlsWatch: TlsWatch | undefined;

  /** @param identity What the files of `server.tls` contain. */
  constructor(served: ServedRoutes, services: EdgeServices, identity?: TlsIdentity) {
    const answer = createEdge(served, services);
    const { server } = services.config;
    const connections = new ConnectionLimit(server, services.log);
    this.server = createHttpServer(
      server.headerTimeout,
      answer,
      (request, response, fault) => refuseInvalid(request, response, fault, services),
      { identity, isClosing: () => this.#closing },
    );
    this.server.on('connection', (socket) => connections.admit(socket));
    this.server.on('clientError', (failure, socket) => refuseUnreadable(failure, socket as Socket, services));
    this.#tlsWatch = server.tls && identity && keepIdentity(this.server, server.tls, identity, services.log);
  }

  /** Listens; for `localhost` on every address of that name. @throws Error when it cannot listen there. */
  async listen(options: ListenOptions): Promise<void> {
    await listening(this.server, options);
    if (options.host !== 'localhost') return;
    const { address: first, port } = this.#address;
    for (const { address } of await lookup(options.host, { all: true })) {
      if (address === first) continue;
      const other = createServer((socket) => this.server.emit('connection', socket));
      // One of the two families may be missing on this machine.
      const works = await listening(other, { ...options, host: address, port }).then(
        () => true,
        () => false,
      );
      if (works) this.#others.push(other);
    }
  }

  /** Where it listens, such as `http://127.0.0.1:8484`. */
  get url(): string {
    const { address, port, family } = this.#address;
    return `${this.#tlsWatch === undefined ? 'http' : 'https'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  get #address(): AddressInfo {
    return this.server.address() as AddressInfo;
  }

  /** Ends each connection with the answer that is due on it, and those on which none is. */
  drain(): void {
    this.#closing = true;
    this.server.closeIdleConnections();
  }

  /** Takes no more connections and closes those without a request. Resolves when the last one is closed. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#tlsWatch?.close();
    for (const other of this.#others) other.close();
    await new Promise<void>((resolve) => {
      // It fails only where the server has stopped to listen before.
      this.server.close(() => resolve());
    });
  }
}

/** New connections get what the files contain by then; open ones keep what they have. */
function keepIdentity(server: Server, files: TlsFiles, identity: TlsIdentity, log: EdgeLog): TlsWatch {
  return watchTlsIdentity(
    files,
    identity,
    (next) => {
      if (server instanceof TlsServer) server.setSecureContext(next);
      log.info({ file: files.certFile }, 'the certificate of server.tls was replaced');
    },
    ({ message }) =>
      log.error({ reason: message }, 'the new files of server.tls are broken; the old ones stay in use'),
  );
}

function listening(server: SocketServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Open connections of one public address where nothing else is configured. */
const usualLimit = 1024;

type Rules = Pick<ServerConfig, 'connectionsPerAddress' | 'trustProxy'>;

/**
 * Limits the open connections of each client address; those above are closed at once. Unless a limit is configured, private
 * addresses and proxies that are trusted have none: they and translated networks bring many clients under one address.
 */
export class ConnectionLimit {
  readonly #open = new Map<string, number>();
  readonly #limited = new Set<string>();
  readonly #rules: Rules;
  readonly #log: EdgeLog;

  constructor(rules: Rules, log: EdgeLog) {
    this.#rules = rules;
    this.#log = log;
  }

  /** Counts a new connection until it closes, or closes it. */
  admit(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (address === undefined) return;
    const limit = this.#limitOf(address);
    if (limit === 0) return;
    const open = this.#open.get(address) ?? 0;
    if (open >= limit) {
      this.#report(address, limit);
      socket.destroy();
      return;
    }
    this.#open.set(address, open + 1);
    socket.once('close', () => this.#closed(address));
  }

  /** 0 means none. */
  #limitOf(address: string): number {
    const { connectionsPerAddress, trustProxy } = this.#rules;
    if (connectionsPerAddress !== undefined) return connectionsPerAddress;
    const isProxy = Array.isArray(trustProxy) ? listsAddress(trustProxy, address) : trustProxy !== false;
    return isProxy || isPrivate(address) ? 0 : usualLimit;
  }

  #closed(address: string): void {
    const open = (this.#open.get(address) ?? 1) - 1;
    if (open > 0) {
      this.#open.set(address, open);
      return;
    }
    this.#open.delete(address);
    this.#limited.delete(address);
  }

  /** Once for each address until it has no connection left. */
  #report(client: string, limit: number): void {
    if (this.#limited.has(client)) return;
    this.#limited.add(client);
    this.#log.warn(
      { client, limit },
      'more connections of one address are closed: server.connections_per_address',
    );
  }
}
