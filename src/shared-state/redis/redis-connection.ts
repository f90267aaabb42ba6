import { HeadgateError } from '../../core/errors.ts';
import { ReportedReason } from '../../core/reported-reason.ts';
import { bounded, TookTooLong } from './bounded.ts';
import type { RedisClient } from './redis-client.ts';
import { Script } from './script.ts';

/** Makes a connection; `onLost` is told once when it breaks by itself. */
export type OpenClient = (onLost: (reason: unknown) => void) => Promise<RedisClient>;

/** How long things may take, in milliseconds. */
export interface ConnectionTimes {
  /** A command, until its reply. */
  readonly reply: number;
  /** Between two probes of a connection that seems well. */
  readonly probe: number;
  /** Before the second attempt to connect; it doubles up to `longestPause`. */
  readonly firstPause: number;
  readonly longestPause: number;
  /** In which neither a further reason of an outage nor further trouble is told. */
  readonly repeat: number;
}

/** Bounds that tell of an outage within two seconds and end it within two. */
export const usualTimes: ConnectionTimes = {
  reply: 1_000,
  probe: 1_000,
  firstPause: 50,
  longestPause: 1_000,
  repeat: 10_000,
};

/** Told how a connection does. */
export interface ConnectionListener {
  /** `reachable` has changed; when it fell, why. Told again when it is away for another reason. */
  readonly onChange: (reason: unknown) => void;
  /** Redis answers but refuses what it is asked, as one that is full does; told now and then. */
  readonly onTrouble: (reason: unknown) => void;
}

const probeKey = 'hg:probe';

/**
 * Keeps nothing, for there is nothing to replace, and still is refused by whoever takes no writes or no scripts: a
 * replica, a server that is full or cannot save, one whose access list is too short.
 */
const writeProbe = new Script(`return redis.call('SET', KEYS[1], '', 'XX')`);

/** Replies that mean the server is the wrong one to ask, or not ready. */
const wrongServer = /^(READONLY|LOADING|MASTERDOWN|NOAUTH)\b/;

/**
 * A connection that is made anew whenever it is lost. Every call has a bound: a command is answered, refused at once
 * while nobody is there, or given up after `reply` milliseconds, which also asks whether anybody still is. Packets
 * that vanish are noticed by that and by regular probes.
 */
export class RedisConnection {
  readonly #open: OpenClient;
  readonly #times: ConnectionTimes;
  readonly #listener: ConnectionListener;
  readonly #subscriptions: { readonly channel: string; readonly listener: (message: string) => void }[] = [];
  readonly #beforeUse: ((run: RedisConnection['run']) => Promise<void>)[] = [];
  /** What the server has seen over this connection. */
  readonly #known = new Set<Script>();
  readonly #whyAway: ReportedReason;
  #client: RedisClient | undefined;
  #probing = false;
  #troubleTold = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(open: OpenClient, times: ConnectionTimes, listener: ConnectionListener) {
    this.#open = open;
    this.#times = times;
    this.#listener = listener;
    this.#whyAway = new ReportedReason(times.repeat);
  }

  /** Whether somebody answered lately who takes what is written. */
  get reachable(): boolean {
    return this.#client !== undefined;
  }

  /** Hears a channel whenever there is a connection. To be called before `start`. */
  subscribe(channel: string, listener: (message: string) => void): void {
    this.#subscriptions.push({ channel, listener });
  }

  /** Does this on every new connection before anybody else may use it. To be called before `start`. */
  beforeUse(prepare: (run: RedisConnection['run']) => Promise<void>): void {
    this.#beforeUse.push(prepare);
  }

  /** Connects. Resolves when it has, or when the first attempt has failed; further ones go on. */
  async start(): Promise<void> {
    const reason = await this.#tryToConnect();
    if (reason !== undefined) this.#tellLost(reason);
  }

  /**
   * Runs a script and returns its reply.
   * @throws HeadgateError `service_unavailable` when nobody answers in time, or what was refused.
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

  /** Sends one command that touches one key. Fails as `run` does. */
  send(key: string, args: readonly string[], patience: number = this.#times.reply): Promise<unknown> {
    const client = this.#client;
    if (client === undefined) return Promise.reject(away());
    return this.#guard(client, client.send(key, args), patience);
  }

  /** Tells every process that hears a channel, this one too. What cannot be told now is not told later. */
  publish(channel: string, message: string): void {
    const client = this.#client;
    if (client !== undefined) this.#guard(client, client.publish(channel, message)).catch(() => {});
  }

  /** Ends the connection for good. */
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
    const whole = () => client.send(first, ['EVAL', script.source, ...rest]);
    // By its name only once the server has seen it: a second attempt would let later calls overtake this one.
    const known = this.#known.has(script);
    const asked = known ? client.send(first, ['EVALSHA', script.sha, ...rest]) : whole();
    const reply = asked.then(
      (value) => {
        if (client === this.#client) this.#known.add(script);
        return value;
      },
      (reason: unknown) => {
        if (!messageOf(reason).startsWith('NOSCRIPT')) throw reason;
        return whole();
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
      else if (client === this.#client) this.#tellTrouble(reason);
      throw away(reason);
    }
  }

  #tellTrouble(reason: unknown): void {
    const now = performance.now();
    if (now - this.#troubleTold < this.#times.repeat) return;
    this.#troubleTold = now;
    this.#listener.onTrouble(reason);
  }

  async #probe(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.#probing) return;
    this.#probing = true;
    try {
      const probed = Promise.all([client.probe(), proveWrites(client)]);
      const [well] = await bounded(probed, this.#times.reply, 'a probe of Redis');
      // What it cannot reach now it may reach anew; until then it serves.
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
    if (!this.#closed) this.#tellLost(reason);
  }

  #tellLost(reason: unknown): void {
    this.#whyAway.tell(reason);
    this.#listener.onChange(reason);
    void this.#connectAgain();
  }

  async #connectAgain(): Promise<void> {
    let pause = this.#times.firstPause;
    for (;;) {
      const reason = this.#closed ? undefined : await this.#tryToConnect();
      if (reason === undefined) return;
      // A server that went away may come back with another password.
      if (!this.#closed && this.#whyAway.isNews(reason)) this.#listener.onChange(reason);
      // Many processes lose it at the same moment; they need not come back at the same one.
      await pauseFor(pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, this.#times.longestPause);
    }
  }

  /** Returns why it failed. */
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
      // Two connections hear the same while one takes the other's place.
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
 * Rejects where a server answers and takes nothing. Of a cluster one node may be in that state while the others serve.
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
