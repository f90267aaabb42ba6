import { HeadgateError } from '../../core/errors.ts';
import { ReportedReason } from '../../core/reported-reason.ts';
import { bounded, TookTooLong } from './bounded.ts';
import type { RedisClient } from './redis-client.ts';
import { Script } from './script.ts';

/** Opens a connection; `onLost` is called once when it breaks. */
export type OpenClient = (onLost: (reason: unknown) => void) => Promise<RedisClient>;

/** Time limits, in milliseconds. */
export interface ConnectionTimes {
  /** Of a command, until its reply. */
  readonly reply: number;
  /** Between two probes of a working connection. */
  readonly probe: number;
  /** Before the second attempt to connect; doubled up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** The interval in which a further outage reason or fault is not reported again. */
  readonly repeat: number;
}

/** Limits that detect an outage within two seconds and its end within two. */
export const usualTimes: ConnectionTimes = {
  reply: 1_000,
  probe: 1_000,
  firstPause: 50,
  longestPause: 1_000,
  repeat: 10_000,
};

/** Receives changes of a connection's state. */
export interface ConnectionListener {
  /**
   * `reachable` has changed; the reason if it is now false. Called again when the reason of an outage changes.
   */
  readonly onChange: (reason: unknown) => void;
  /** Redis answers but refuses commands, for example because it is full; called occasionally. */
  readonly onRefusal: (reason: unknown) => void;
}

const probeKey = 'hg:probe';

/**
 * Probes that the Redis user may run scripts and write. Stores nothing. A replica, a server that is full or cannot
 * save, and missing permissions refuse it.
 */
const writeProbe = new Script(`return redis.call('SET', KEYS[1], '', 'XX')`);

/** Replies of a server that is the wrong one or not ready. */
const wrongServer = /^(READONLY|LOADING|MASTERDOWN|NOAUTH)\b/;

/**
 * A connection that reconnects whenever it is lost. Every call is bounded: a command is answered, refused immediately
 * during an outage, or abandoned after `reply` milliseconds, which also triggers a probe. That, and regular probes,
 * detect lost packets.
 */
export class RedisConnection {
  readonly #open: OpenClient;
  readonly #times: ConnectionTimes;
  readonly #listener: ConnectionListener;
  readonly #subscriptions: { readonly channel: string; readonly listener: (message: string) => void }[] = [];
  readonly #beforeUse: ((run: RedisConnection['run']) => Promise<void>)[] = [];
  /** The scripts that the server has loaded through this connection. */
  readonly #known = new Set<Script>();
  readonly #outageReasons: ReportedReason;
  #client: RedisClient | undefined;
  #probing = false;
  #reportedRefusal = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(open: OpenClient, times: ConnectionTimes, listener: ConnectionListener) {
    this.#open = open;
    this.#times = times;
    this.#listener = listener;
    this.#outageReasons = new ReportedReason(times.repeat);
  }

  /** Whether a server that accepts writes answered recently. */
  get reachable(): boolean {
    return this.#client !== undefined;
  }

  /** Subscribes to a channel on every connection. Call it before `start`. */
  subscribe(channel: string, listener: (message: string) => void): void {
    this.#subscriptions.push({ channel, listener });
  }

  /** Runs `prepare` on every new connection before other commands may use it. Call it before `start`. */
  beforeUse(prepare: (run: RedisConnection['run']) => Promise<void>): void {
    this.#beforeUse.push(prepare);
  }

  /**
   * Connects. Resolves when connected, or when the first attempt has failed; further attempts follow in the
   * background.
   */
  async start(): Promise<void> {
    const reason = await this.#tryToConnect();
    if (reason !== undefined) this.#reportLost(reason);
  }

  /**
   * Runs a script and returns its reply.
   * @throws HeadgateError `service_unavailable` when there is no answer in time, or the server's refusal.
   */
  readonly run = (
    script: Script,
    keys: readonly string[],
    args: readonly string[] = [],
  ): Promise<unknown> => {
    const client = this.#client;
    if (client === undefined) return Promise.reject(away());
    return this.#runOn(client, script, keys, args);
  };

  /** Sends one command that touches one key. Fails like `run`. */
  send(key: string, args: readonly string[], patience: number = this.#times.reply): Promise<unknown> {
    const client = this.#client;
    if (client === undefined) return Promise.reject(away());
    return this.#guard(client, client.send(key, args), patience);
  }

  /** Publishes to every subscribed process, including this one. During an outage the message is lost. */
  publish(channel: string, message: string): void {
    const client = this.#client;
    if (client !== undefined) this.#guard(client, client.publish(channel, message)).catch(() => {});
  }

  /** Closes the connection for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#client?.destroy();
    this.#client = undefined;
  }

  #runOn(
    client: RedisClient,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const [first = ''] = keys;
    const rest = [String(keys.length), ...keys, ...args];
    const sendSource = () => client.send(first, ['EVAL', script.source, ...rest]);
    // Uses the script's hash only once the server has loaded it: a second attempt would let later calls overtake this
    // one.
    const known = this.#known.has(script);
    const sent = known ? client.send(first, ['EVALSHA', script.sha, ...rest]) : sendSource();
    const reply = sent.then(
      (value) => {
        if (client === this.#client) this.#known.add(script);
        return value;
      },
      (reason: unknown) => {
        if (!messageOf(reason).startsWith('NOSCRIPT')) throw reason;
        return sendSource();
      },
    );
    return this.#guard(client, reply);
  }

  async #guard(
    client: RedisClient,
    reply: Promise<unknown>,
    patience: number = this.#times.reply,
  ): Promise<unknown> {
    try {
      return await bounded(reply, patience, 'a reply of Redis');
    } catch (reason) {
      if (!client.several && wrongServer.test(messageOf(reason))) this.#lose(client, reason);
      else if (reason instanceof TookTooLong) void this.#probe();
      else if (client === this.#client) this.#reportRefusal(reason);
      throw away(reason);
    }
  }

  #reportRefusal(reason: unknown): void {
    const now = performance.now();
    if (now - this.#reportedRefusal < this.#times.repeat) return;
    this.#reportedRefusal = now;
    this.#listener.onRefusal(reason);
  }

  async #probe(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.#probing) return;
    this.#probing = true;
    try {
      const probed = Promise.all([client.probe(), proveWrites(client)]);
      const [well] = await bounded(probed, this.#times.reply, 'a probe of Redis');
      // It may reconnect to what it cannot reach now; until then the rest stays usable.
      if (!well && client === this.#client) await this.#tryToConnect();
      this.#probeLater();
    } catch (reason) {
      this.#lose(client, reason);
    } finally {
      this.#probing = false;
    }
  }

  #probeLater(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => void this.#probe(), this.#times.probe).unref();
  }

  #lose(client: RedisClient, reason: unknown): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.destroy();
    if (!this.#closed) this.#reportLost(reason);
  }

  #reportLost(reason: unknown): void {
    this.#outageReasons.record(reason);
    this.#listener.onChange(reason);
    void this.#connectAgain();
  }

  async #connectAgain(): Promise<void> {
    let pause = this.#times.firstPause;
    for (;;) {
      const reason = this.#closed ? undefined : await this.#tryToConnect();
      if (reason === undefined) return;
      // A server that went away may come back with another password.
      if (!this.#closed && this.#outageReasons.isNews(reason)) this.#listener.onChange(reason);
      // Many processes lose it at the same moment; jitter spreads their reconnects.
      await pauseFor(pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, this.#times.longestPause);
    }
  }

  /** Returns the reason of a failure. */
  async #tryToConnect(): Promise<unknown> {
    let client: RedisClient | undefined;
    let lost: unknown;
    try {
      const opened = await this.#open((reason) => {
        lost = reason;
        if (client !== undefined) this.#lose(client, reason);
      });
      client = opened;
      await this.#prepare(opened);
      if (lost !== undefined) throw lost;
      if (this.#closed) opened.destroy();
      else this.#use(opened);
      return undefined;
    } catch (reason) {
      client?.destroy();
      return reason;
    }
  }

  async #prepare(client: RedisClient): Promise<void> {
    const { reply } = this.#times;
    const subscribed = this.#subscriptions.map(({ channel, listener }) =>
      // Both connections receive the same messages while one replaces the other.
      client.subscribe(channel, (message) => {
        if (client === this.#client) listener(message);
      }),
    );
    const prepared = Promise.all([client.probe(), ...subscribed]).then(() => proveWrites(client));
    await bounded(prepared, reply, 'subscribing at Redis');
    const run: RedisConnection['run'] = (script, keys, args = []) => this.#runOn(client, script, keys, args);
    for (const prepare of this.#beforeUse) await prepare(run);
  }

  #use(client: RedisClient): void {
    const before = this.#client;
    this.#client = client;
    this.#known.clear();
    before?.destroy();
    this.#probeLater();
    if (before === undefined) this.#listener.onChange(undefined);
  }
}

/**
 * Rejects where a server answers but accepts no writes. In a cluster, one node may be in that state while the others
 * work.
 */
async function proveWrites(client: RedisClient): Promise<void> {
  if (!client.several) await client.send(probeKey, ['EVAL', writeProbe.source, '1', probeKey]);
}

function away(cause?: unknown): HeadgateError {
  return new HeadgateError('service_unavailable', 'The shared state cannot be reached.', { cause });
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : '';
}

function pauseFor(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
