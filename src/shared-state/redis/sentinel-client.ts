import type { RedisAddress, SentinelSettings } from '../../util/redis-address.ts';
import { bounded } from './bounded.ts';
import { makeClient } from './make-client.ts';
import { commonOptions, type OnLost, type RedisClient, socketOptions } from './redis-client.ts';
import { openServer } from './server-client.ts';

/**
 * Milliseconds for other sentinels to answer after the first one did, because one of them may be more current.
 */
const stragglers = 100;

/**
 * Connects to the server that the sentinels name as primary. Probes check that it still is primary and whether the
 * sentinels have named another since.
 */
export async function openBehindSentinels(
  address: RedisAddress,
  settings: SentinelSettings,
  patience: number,
  onLost: OnLost,
): Promise<RedisClient> {
  const sentinels = address.nodes.map((node) => new Sentinel(address, settings, node));
  const close = () => {
    for (const sentinel of sentinels) sentinel.close();
  };
  try {
    const primary = await askAll(sentinels, settings, patience);
    const server = await openServer({ ...address, nodes: [primary] }, patience, onLost);
    return {
      ...server,
      probe: async () => {
        const requests = askAll(sentinels, settings, patience * 0.8);
        // A primary works even without sentinels.
        const named = await Promise.all([requests.catch(() => primary), checkRole(server, primary)]);
        checkNamed(named[0], primary);
        return true;
      },
      destroy: () => {
        close();
        server.destroy();
      },
    };
  } catch (reason) {
    close();
    throw reason;
  }
}

async function checkRole(server: RedisClient, { host, port }: NamedPrimary): Promise<void> {
  const role = await server.send('', ['ROLE']);
  if (!Array.isArray(role) || role[0] !== 'master')
    throw new Error(`${host}:${port}, which the sentinels named as the primary, is a replica`);
}

function checkNamed({ host, port, epoch }: NamedPrimary, primary: NamedPrimary): void {
  // A sentinel that was cut off may be behind what is already known.
  if (epoch > primary.epoch && (host !== primary.host || port !== primary.port))
    throw new Error(`the sentinels name another primary: ${host}:${port}`);
}

/**
 * The newest answer of the reachable sentinels.
 * @throws Error when none names a primary, with each one's answer and what to do.
 */
async function askAll(
  sentinels: readonly Sentinel[],
  { primary }: SentinelSettings,
  patience: number,
): Promise<NamedPrimary> {
  const named: NamedPrimary[] = [];
  const requests = sentinels.map(async (sentinel) => {
    named.push(await sentinel.primary(patience));
  });
  try {
    await Promise.any(requests);
  } catch (reason) {
    const reasons = reason instanceof AggregateError ? reason.errors : [reason];
    const answers = sentinels.map(({ name }, index) => `${name}: ${textOf(reasons[index])}`);
    throw new Error(
      `no sentinel names a primary "${primary}" (${answers.join('; ')}); check the hosts in shared_state.url, that the name is the one of "sentinel monitor", and sentinel_password`,
      { cause: reason },
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, stragglers);
  });
  await Promise.race([Promise.allSettled(requests), late]);
  clearTimeout(timer);
  return named.reduce((newest, other) => (other.epoch > newest.epoch ? other : newest));
}

function textOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  // A host with several addresses fails without a message.
  return reason.message || String(Reflect.get(reason, 'code'));
}

/** Replies are arrays, and connecting sends nothing that a sentinel may refuse. */
const oldProtocol = { RESP: 2 } as const;

/** A sentinel's answer about a primary. */
interface NamedPrimary {
  readonly host: string;
  readonly port: number;
  /** Increases with every failover; the greater one is newer. */
  readonly epoch: number;
}

/** One sentinel; connects on demand and keeps the connection until it fails. */
class Sentinel {
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
