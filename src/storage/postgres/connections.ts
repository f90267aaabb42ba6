import { Socket } from 'node:net';
import type { Client, Pool, PoolClient } from 'pg';
import { HeadgateError } from '../../core/errors.ts';
import { asFailure, leavesConnectionWhole, type PostgresFailure } from './postgres-failure.ts';

/** How connections are made. */
export interface ConnectionSettings {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
  readonly url: string;
  /** The most that are open at once. */
  readonly size: number;
  /** Milliseconds to wait for a free or a new one. */
  readonly acquireTimeout: number;
}

/** Milliseconds after which a connection nobody needs is closed. */
const idleTimeout = 30_000;

/** Milliseconds for which a connection that was not had says that there are too few. */
const wantLasts = 5_000;

/** Seconds after which a connection is replaced, so that load spreads again after a failover. */
const longestLife = 1800;

/** Milliseconds of silence after which a connection is asked whether it is still there. */
const keepAliveDelay = 10_000;

/** Milliseconds closing waits for the other side. */
const closeTimeout = 2_000;

/** Milliseconds that asking the server to end a statement may take; the place of its connection is taken so long. */
const endTimeout = 1_000;

const int8 = 20;
const int4 = 23;
const int2 = 21;
const integers: ReadonlySet<number> = new Set([int8, int4, int2]);

/** Integers become bigint, everything else the text the server sends, which is all the schema needs. */
const types = {
  getTypeParser: (type: number) => (integers.has(type) ? BigInt : (text: string) => text),
};

/**
 * A bounded number of connections to one PostgreSQL, made when they are needed. No connection keeps any state
 * between two calls, so that a pooler in transaction mode may stand in front of the server.
 */
export class Connections {
  readonly #pool: Pool;
  readonly #newClient: () => Client;
  readonly #sockets: Set<Socket>;
  #closing: Promise<void> | undefined;
  #want: { readonly at: number; readonly failure: PostgresFailure } | undefined;

  private constructor(pool: Pool, newClient: () => Client, sockets: Set<Socket>) {
    this.#pool = pool;
    this.#newClient = newClient;
    this.#sockets = sockets;
    // An idle connection that breaks is replaced by the next call.
    pool.on('error', () => undefined);
  }

  /** Loads the client and opens nothing yet. */
  static async open({ url, size, acquireTimeout }: ConnectionSettings): Promise<Connections> {
    const { Client, Pool } = await import('pg');
    const sockets = new Set<Socket>();
    const newSocket = () => {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    };
    const settings = {
      connectionString: url,
      application_name: 'headgate',
      max: size,
      connectionTimeoutMillis: acquireTimeout,
      idleTimeoutMillis: idleTimeout,
      maxLifetimeSeconds: longestLife,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      types,
      stream: newSocket,
    };
    const newClient = () => new Client({ ...settings, connectionTimeoutMillis: endTimeout });
    return new Connections(new Pool(settings), newClient, sockets);
  }

  /**
   * Lends out a connection; one that failed is thrown away.
   * @throws PostgresFailure, HeadgateError `service_unavailable` when closed, or what `work` throws of its own.
   */
  async use<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    if (this.#closing !== undefined) throw new HeadgateError('service_unavailable', 'The storage is closed.');
    const client = await this.#pool.connect().catch((error: unknown) => {
      const failure = asFailure(error);
      this.#want = { at: performance.now(), failure };
      throw failure;
    });
    let broken: Error | undefined;
    const breaks = (error: Error) => {
      broken = error;
    };
    client.on('error', breaks);
    let ended: Promise<void> | undefined;
    try {
      return await work(client);
    } catch (error) {
      if (!(error instanceof BrokenConnection)) throw error;
      // Neither an answer nor an end: the server would go on with it, beyond the connections this process may have.
      if (broken === undefined && error.failure.code === undefined)
        ended = endStatement(client, this.#newClient());
      broken = error;
      throw error.failure;
    } finally {
      const letGo = () => {
        client.off('error', breaks);
        client.release(broken);
      };
      if (ended === undefined) letGo();
      else void ended.then(letGo);
    }
  }

  /** Why a call got no connection in the last five seconds; undefined where every call got one. */
  get want(): PostgresFailure | undefined {
    return this.#want !== undefined && performance.now() - this.#want.at < wantLasts
      ? this.#want.failure
      : undefined;
  }

  /** Waits a moment for what is running and closes every connection. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, closeTimeout);
    await Promise.race([this.#pool.end(), late]);
    clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Thrown inside `Connections.use` when the connection must not be used again. */
export class BrokenConnection extends Error {
  override readonly name = 'BrokenConnection';
  /** The failure that the caller gets. */
  readonly failure: PostgresFailure;

  constructor(failure: PostgresFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What came of a statement. */
export interface StatementResult<Row> {
  readonly rows: readonly Row[];
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
}

/** Milliseconds the client waits beyond the time limit that the server was given. */
const grace = 500;

/**
 * Runs one statement on a connection.
 * @param timeout Milliseconds.
 * @throws PostgresFailure, or BrokenConnection around one.
 */
export async function runStatement<Row>(
  client: PoolClient,
  statement: { readonly text: string; readonly values?: readonly unknown[] },
  timeout: number,
): Promise<StatementResult<Row>> {
  try {
    const query = {
      text: statement.text,
      values: [...(statement.values ?? [])],
      query_timeout: timeout + grace,
    };
    // The driver cannot know the columns; the caller does.
    const { rows, rowCount } = await client.query(query);
    return { rows: (rows ?? []) as readonly Row[], changes: rowCount ?? 0 };
  } catch (error) {
    const failure = asFailure(error);
    throw leavesConnectionWhole(error) || failure.byStatement ? failure : new BrokenConnection(failure);
  }
}

/** What a client knows of its connection and does with it; its types do not tell. */
interface Wire {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: {
    startup(settings: unknown): void;
    cancel(processID: number, secretKey: number): void;
  };
}

/**
 * Asks the server to end the statement a connection waits for, over another connection, as the protocol has it; a server
 * does not notice that somebody no longer waits. Resolves when it was asked, or could not be. A pooler passes it on only
 * while the connection itself is open.
 * @param other One that was not connected yet, with a bound on how long that may take.
 */
async function endStatement(client: Client, other: Client): Promise<void> {
  const { processID, secretKey } = client as unknown as Wire;
  const { connection } = other as unknown as Wire;
  connection.startup = () => connection.cancel(processID, secretKey);
  // The server hangs up without a word.
  await other.connect().catch(() => undefined);
}
