import type { RedisAddress, SentinelSettings } from '../../util/redis-address.ts';
import { bounded } from './bounded.ts';
import { makeClient } from './make-client.ts';
import { commonOptions, socketOptions } from './redis-client.ts';

/** Replies are arrays, and connecting sends nothing that a sentinel may refuse. */
const oldProtocol = { RESP: 2 } as const;

/** A sentinel's answer about a primary. */
export interface NamedPrimary {
  readonly host: string;
  readonly port: number;
  /** Increases with every failover; the greater one is newer. */
  readonly epoch: number;
}

/** One sentinel; connects on demand and keeps the connection until it fails. */
export class Sentinel {
  /** Its name in messages. */
  readonly name: string;
  readonly #address: RedisAddress;
  readonly #settings: SentinelSettings;
  readonly #node: RedisAddress['nodes'][number];
  #connection: Connection | undefined;

  constructor(address: RedisAddress, settings: SentinelSettings, node: RedisAddress['nodes'][number]) {
    this.name = `${node.host}:${node.port}`;
    this.#address = address;
    this.#settings = settings;
    this.#node = node;
  }

  /**
   * Asks for the primary, with a time limit in milliseconds.
   * @throws Error when it does not answer or knows no primary of that name.
   */
  async primary(patience: number): Promise<NamedPrimary> {
    this.#connection ??= this.#connect(patience);
    const connection = this.#connection;
    try {
      return await bounded(this.#ask(connection), patience, 'a reply of the sentinel');
    } catch (reason) {
      connection.client.destroy();
      if (connection === this.#connection) this.#connection = undefined;
      throw reason;
    }
  }

  /** Closes the connection. */
  close(): void {
    this.#connection?.client.destroy();
    this.#connection = undefined;
  }

  async #ask({ client, connected }: Connection): Promise<NamedPrimary> {
    await connected;
    const { primary } = this.#settings;
    // In this order, so that an address is never taken for newer than it is.
    const about = await this.#authorized(client, ['SENTINEL', 'MASTER', primary]);
    const where = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primary]);
    if (!Array.isArray(where)) throw new Error('knows no primary of this name');
    const [host, port] = where;
    return { host: String(host), port: Number(port), epoch: epochIn(about) };
  }

  /** A sentinel that needs credentials but has none configured uses those of the server. */
  async #authorized(client: Client, command: readonly string[]): Promise<unknown> {
    const { username, password } = this.#address;
    try {
      return await client.sendCommand(command);
    } catch (reason) {
      const needsCredentials = reason instanceof Error && reason.message.startsWith('NOAUTH');
      if (!needsCredentials || password === undefined || this.#settings.password !== undefined) throw reason;
    }
    await client.sendCommand(['AUTH', ...(username === undefined ? [] : [username]), password]);
    return client.sendCommand(command);
  }

  #connect(patience: number): Connection {
    const { username, password } = this.#settings;
    const client = makeClient({
      ...oldProtocol,
      ...commonOptions({ ...this.#address, username, password }),
      socket: { ...this.#node, ...socketOptions(this.#address, patience), reconnectStrategy: false },
    });
    // The command itself reports the error.
    client.on('error', () => {});
    return { client, connected: client.connect() };
  }
}

type Client = ReturnType<typeof makeClient>;

interface Connection {
  readonly client: Client;
  readonly connected: Promise<unknown>;
}

function epochIn(about: unknown): number {
  if (!Array.isArray(about)) throw new Error('describes the primary in an unknown way');
  const at = about.indexOf('config-epoch');
  return at === -1 ? 0 : Number(about[at + 1]);
}
