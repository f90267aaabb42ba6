import { Socket } from 'node:net';
import type { Client } from 'pg';
import type { Change } from '../../ports/invalidation.ts';
import { readChange } from '../../ports/read-change.ts';

/** The channel of `NOTIFY` on which processes of one database report changes. */
export const changeChannel = 'headgate_changes';

const keepAliveDelay = 10_000;

/** How to listen. */
export interface ChangeChannelSettings {
  readonly url: string;
  /** Milliseconds until a lost connection is made anew. */
  readonly retryDelay: number;
}

/**
 * Listens for changes on a connection of its own, which it makes anew when it is lost; then everything may have changed.
 * A pooler in transaction mode delivers no notifications: caches then only expire.
 */
export class ChangeChannel {
  readonly #settings: ChangeChannelSettings;
  readonly #listener: (change: Change) => void;
  #socket: Socket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  #wasConnected = false;

  constructor(settings: ChangeChannelSettings, listener: (change: Change) => void) {
    this.#settings = settings;
    this.#listener = listener;
    void this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.destroy();
  }

  /** Never fails: it is tried again. */
  async #connect(): Promise<void> {
    try {
      const client = await this.#newClient();
      if (this.#isClosed) return;
      let isLost = false;
      const lose = () => {
        if (isLost) return;
        isLost = true;
        this.#connectLater();
      };
      client.on('error', lose).on('end', lose);
      client.on('notification', ({ payload }) => this.#listener(parseChange(payload)));
      await client.connect().catch(lose);
      if (isLost) return;
      await client.query(`listen ${changeChannel}`);
      if (this.#wasConnected) this.#listener({ kind: 'everything' });
      this.#wasConnected = true;
    } catch {
      this.#connectLater();
    }
  }

  async #newClient(): Promise<Client> {
    const { Client } = await import('pg');
    const socket = new Socket();
    this.#socket = socket;
    return new Client({
      connectionString: this.#settings.url,
      application_name: 'headgate',
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      stream: () => socket,
    });
  }

  #connectLater(): void {
    this.#socket?.destroy();
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(), this.#settings.retryDelay).unref();
  }
}

function parseChange(payload: string | undefined): Change {
  try {
    return readChange(JSON.parse(payload ?? ''));
  } catch {
    return { kind: 'everything' };
  }
}
