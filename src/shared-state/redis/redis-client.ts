import type { RedisAddress } from '../../util/redis-address.ts';

/** One connection to a server or a cluster, for its lifetime. It never reconnects by itself. */
export interface RedisClient {
  /** Whether it uses several servers, of which one may fail while others work. */
  readonly several: boolean;
  /** @param key Decides which node of a cluster gets the command. */
  send(key: string, args: readonly string[]): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  /**
   * Probes the connection. Returns false when it works only in part and should be replaced.
   * @throws Error when no server answers.
   */
  probe(): Promise<boolean>;
  /** Closes it; unanswered commands are rejected. */
  destroy(): void;
}

/** Called once when a connection breaks. */
export type OnLost = (reason: unknown) => void;

/** Limit of commands that wait for their replies; further ones are refused immediately. */
const queueLength = 100_000;

/** The common options of connections to a server and to the nodes of a cluster. */
export function commonOptions({ username, password }: RedisAddress) {
  return {
    username,
    password,
    commandsQueueMaxLength: queueLength,
    // Commands during an outage fail immediately instead of waiting.
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    disableClientInfo: true,
  } as const;
}

/** The connect timeout in milliseconds, and whether to use TLS. */
export function socketOptions({ tls }: RedisAddress, patience: number) {
  return tls ? ({ connectTimeout: patience, tls: true } as const) : { connectTimeout: patience };
}
