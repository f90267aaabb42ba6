import type { RedisAddress } from '../../util/redis-address.ts';

/** One connection to a server or a cluster, as long as it lasts. It never connects anew by itself. */
export interface RedisClient {
  /** Whether it reaches several servers, so that one may fail while others do not. */
  readonly several: boolean;
  /** @param key Decides which node of a cluster is asked. */
  send(key: string, args: readonly string[]): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
  /**
   * Asks whether it still answers. False when it does in part only and is better made anew.
   * @throws Error when nobody answers.
   */
  probe(): Promise<boolean>;
  /** Ends it; what was not answered is rejected. */
  destroy(): void;
}

/** Told once when a connection breaks by itself. */
export type OnLost = (reason: unknown) => void;

/** Commands that wait for their replies at most; beyond, a command is refused at once. */
const queueLength = 100_000;

/** What connections to a server and to the nodes of a cluster have in common. */
export function commonOptions({ username, password }: RedisAddress) {
  return {
    username,
    password,
    commandsQueueMaxLength: queueLength,
    // Who asks while it is away is told so, instead of waiting.
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    disableClientInfo: true,
  } as const;
}

/** How long a connection may take to be made, in milliseconds, and whether it speaks TLS. */
export function socketOptions({ tls }: RedisAddress, patience: number) {
  return tls ? ({ connectTimeout: patience, tls: true } as const) : { connectTimeout: patience };
}
