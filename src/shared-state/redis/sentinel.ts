import type { RedisAddress, SentinelSettings } from '../../util/redis-address.ts';
import { bounded } from './bounded.ts';
import { makeClient } from './make-client.ts';
import { commonOptions, socketOptions } from './redis-client.ts';

/** Replies are lists, and connecting asks nothing a sentinel may refuse. */
const oldProtocol = { RESP: 2 } as const;

/** What a sentinel says of a primary. */
export interface NamedPrimary {
  readonly host: string;
  readonly port: number;
  /** Rises with every change-over; whoever says the greater one knows better. */
  readonly epoch: number;
}

/** One sentinel; the connection is made when it is asked and kept until it fails. */
export class Sentinel {
  /** How it is called in messages. */
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
   * Asks who is the primary, within so many milliseconds.
   * @throws Error when it does not answer or knows none of that name.
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

  /** Ends the connection. */
  close(): void {
    this.#connection?.client.destroy();
    this.#connection = undefined;
  }

  async #ask({ client, connected }: Connection): Promise<NamedPrimary> {
    await connected;
    const { primary } = this.#settings;
    // In this order: an address must never be taken for newer than it is.
    const about = await this.#authorized(client, ['SENTINEL', 'MASTER', primary]);
    const where = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primary]);
    if (!Array.isArray(where)) throw new Error('knows no primary of this name');
    const [host, port] = where;
    return { host: String(host), port: Number(port), epoch: epochIn(about) };
  }

  /** One that has credentials but was given none of its own shares those of the server. */
  async #authorized(client: Client, command: readonly string[]): Promise<unknown> {
    const { username, password } = this.#address;
    try {
      return await client.sendCommand(command);
    } catch (reason) {
      const asked = reason instanceof Error && reason.message.startsWith('NOAUTH');
      if (!asked || password === undefined || this.#settings.password !== undefined) throw reason;
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
    // Whoever asks hears of it.
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
