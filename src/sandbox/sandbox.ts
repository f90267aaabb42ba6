import { randomBytes } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import type { CommandBounds, CommandOutcome, SandboxContainer, SandboxDriver } from './sandbox-driver.ts';
import type { SandboxSettings } from './sandbox-settings.ts';

/** Whose containers these are. */
export interface SandboxOwner {
  readonly accountId: string;
  readonly workspaceId: string | null;
}

/** A container as its owner uses it. */
export interface KeptContainer {
  readonly id: string;
  readonly owner: string;
  readonly session: string | undefined;
  /** Milliseconds without commands after which it ends. */
  readonly sleepAfter: number;
  readonly made: Promise<SandboxContainer>;
  /** The last command that waits or runs. */
  last: Promise<unknown>;
  waiting: number;
  usedAt: number;
  timer: NodeJS.Timeout | undefined;
}

/** What a container is wanted for. */
export interface ContainerWish {
  readonly owner: SandboxOwner;
  /** The conversation that keeps it; undefined for one request alone. */
  readonly session?: string | undefined;
  /** Milliseconds. */
  readonly sleepAfter: number;
}

/** Commands of one container that may wait. */
const mostWaiting = 32;
/** Milliseconds after which a driver that failed is tried again. */
const pauseAfterFailure = 30_000;

/**
 * The containers of this process: bounded, each with one owner, ended some time after their last command
 * (docs/spec/sandbox.md#containers).
 */
export class Sandbox {
  readonly #settings: () => SandboxSettings;
  readonly #drivers: (settings: SandboxSettings) => SandboxDriver | undefined;
  readonly #kept = new Map<string, KeptContainer>();
  #probed:
    | { readonly settings: SandboxSettings; readonly driver: Promise<SandboxDriver>; readonly at: number }
    | undefined;

  constructor(
    settings: () => SandboxSettings,
    drivers: (settings: SandboxSettings) => SandboxDriver | undefined,
  ) {
    this.#settings = settings;
    this.#drivers = drivers;
  }

  /** Whether there is a driver. */
  get isOn(): boolean {
    return this.#settings().driver !== 'off';
  }

  /** Ends containers that earlier processes of this machine left behind when they were killed. Never fails. */
  async endLeftBehind(): Promise<void> {
    // Where the engine cannot be asked, nothing can be run either, and the probe says why.
    await this.#drivers(this.#settings())
      ?.endLeftBehind?.()
      .catch(() => undefined);
  }

  /** A container of an owner; undefined when it has none of that id, even if another owner has one. */
  find(owner: SandboxOwner, id: string): KeptContainer | undefined {
    const kept = this.#kept.get(id);
    return kept?.owner === keyOf(owner) ? kept : undefined;
  }

  /** The container that a conversation keeps. */
  ofSession(owner: SandboxOwner, session: string | undefined): KeptContainer | undefined {
    if (session === undefined) return undefined;
    const key = keyOf(owner);
    return [...this.#kept.values()].find((one) => one.owner === key && one.session === session);
  }

  /**
   * The container of a conversation, or a new one. The longest unused container without commands makes room.
   * @throws SandboxRefusal when all of them run commands.
   */
  open({ owner, session, sleepAfter }: ContainerWish): KeptContainer {
    const key = keyOf(owner);
    const known = this.ofSession(owner, session);
    if (known !== undefined) return known;
    const { maxContainers, maxContainersPerWorkspace } = this.#settings();
    this.#makeRoom(
      [...this.#kept.values()].filter((one) => one.owner === key),
      maxContainersPerWorkspace,
    );
    this.#makeRoom([...this.#kept.values()], maxContainers);
    const id = `hgc_${randomBytes(8).toString('hex')}`;
    const made = this.#create();
    const one: KeptContainer = {
      ...{ id, owner: key, session, sleepAfter, made },
      last: made,
      waiting: 0,
      usedAt: Date.now(),
      timer: undefined,
    };
    made.catch(() => this.#forget(one));
    this.#kept.set(id, one);
    this.#sleep(one);
    return one;
  }

  /** Runs a command behind those that wait. @throws SandboxRefusal when it cannot be run. */
  async exec(one: KeptContainer, command: string, bounds: CommandBounds): Promise<CommandOutcome> {
    if (one.waiting >= mostWaiting) throw new SandboxRefusal('Too many commands wait for this container.');
    one.waiting += 1;
    clearTimeout(one.timer);
    const before = one.last.catch(() => undefined);
    const running = before.then(async () => {
      bounds.signal.throwIfAborted();
      return (await one.made).exec(command, bounds);
    });
    one.last = running;
    try {
      return await running;
    } catch (thrown) {
      bounds.signal.throwIfAborted();
      if (thrown instanceof RangeError)
        throw new SandboxRefusal(`The command cannot be run: ${thrown.message}.`);
      throw new SandboxRefusal('The container is not to be had.', thrown);
    } finally {
      one.waiting -= 1;
      one.usedAt = Date.now();
      const container = await one.made.catch(() => undefined);
      if (container?.isAlive !== true) this.#forget(one);
      else if (one.waiting === 0) this.#sleep(one);
    }
  }

  /** Ends a container. */
  end(one: KeptContainer): void {
    this.#forget(one);
    void one.made.then(
      (container) => container.destroy(),
      () => undefined,
    );
  }

  /** Ends all containers. */
  async close(): Promise<void> {
    const all = [...this.#kept.values()];
    for (const one of all) this.#forget(one);
    await Promise.all(
      all.map((one) =>
        one.made.then(
          (container) => container.destroy(),
          () => undefined,
        ),
      ),
    );
  }

  #sleep(one: KeptContainer): void {
    clearTimeout(one.timer);
    if (!this.#kept.has(one.id)) return;
    one.timer = setTimeout(() => this.end(one), Math.min(one.sleepAfter, 2 ** 31 - 1));
    one.timer.unref();
  }

  #forget(one: KeptContainer): void {
    clearTimeout(one.timer);
    this.#kept.delete(one.id);
  }

  #makeRoom(among: readonly KeptContainer[], most: number): void {
    if (among.length < most) return;
    const [oldest] = among
      .filter(({ waiting }) => waiting === 0)
      .sort((one, other) => one.usedAt - other.usedAt);
    if (oldest === undefined) throw new SandboxRefusal('All containers are in use; try again later.');
    this.end(oldest);
  }

  async #create(): Promise<SandboxContainer> {
    const driver = await this.#driver();
    return driver.create();
  }

  /** The driver, once a probe has found that its limits hold; a failure is remembered for a while. */
  #driver(): Promise<SandboxDriver> {
    const settings = this.#settings();
    if (this.#probed?.settings === settings && this.#probed.at > Date.now()) return this.#probed.driver;
    const driver = this.#probe(settings);
    const probed = { settings, driver, at: Number.POSITIVE_INFINITY };
    this.#probed = probed;
    driver.catch(() => {
      if (this.#probed === probed) this.#probed = { ...probed, at: Date.now() + pauseAfterFailure };
    });
    return driver;
  }

  async #probe(settings: SandboxSettings): Promise<SandboxDriver> {
    const driver = this.#drivers(settings);
    if (driver === undefined) throw new Error('tools.sandbox.driver is off');
    await this.endLeftBehind();
    const { problems } = await driver.probe();
    if (problems.length > 0) throw new Error(`${driver.name}: ${problems.join('; ')}`);
    return driver;
  }
}

function keyOf({ accountId, workspaceId }: SandboxOwner): string {
  return `${accountId} ${workspaceId ?? ''}`;
}

/** A command that was not run; the message is for the model and the client. */
class SandboxRefusal extends HeadgateError {
  constructor(message: string, cause?: unknown) {
    super('invalid_request', message, { cause });
  }
}
