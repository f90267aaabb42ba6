import type { Socket } from 'node:net';
import type { ServerConfig } from '../config/config.ts';
import { listsAddress } from '../util/address-list.ts';
import { isPrivate, plainAddress } from './client-address.ts';
import type { EdgeLog } from './edge-services.ts';

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
