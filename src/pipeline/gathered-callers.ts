import type { CallerStore, ReadCallers, StoredCaller } from '../ports/callers.ts';
import type { Clock } from '../ports/clock.ts';

/** Keys that will be read together. */
interface Gathering {
  readonly hashes: Set<string>;
  readonly found: PromiseWithResolvers<Found>;
  /** Running while nobody waits for the answer. */
  timer: NodeJS.Timeout | undefined;
}

/** What came of one reading. */
interface Found {
  readonly callers: ReadCallers;
  /** The moment whose windows spending is reported for, Unix milliseconds. */
  readonly moment: number;
}

/**
 * Reads callers together that are asked for at about the same time. A caller that a request waits for is read when this
 * turn of the event loop is over; the others a moment later, or along with it.
 */
export class GatheredCallers {
  readonly #store: Pick<CallerStore, 'read'>;
  readonly #clock: Clock;
  readonly #patience: number;
  #gathering: Gathering | undefined;

  /** @param patience How many milliseconds to gather in while nobody waits; 0 is not at all. */
  constructor(store: Pick<CallerStore, 'read'>, clock: Clock, patience: number) {
    this.#store = store;
    this.#clock = clock;
    this.#patience = patience;
  }

  /** The caller a key hash belongs to, as it is stored when this is called or later, with the windows' moment. */
  async read(
    hash: string,
    isWaitedFor: boolean,
  ): Promise<{ readonly caller: StoredCaller | undefined; readonly moment: number }> {
    this.#gathering ??= this.#begin();
    const { hashes, found } = this.#gathering;
    hashes.add(hash);
    if (isWaitedFor || this.#patience === 0) this.hasten();
    const { callers, moment } = await found.promise;
    return { caller: await callers.get(hash), moment };
  }

  /** Somebody waits now for what is gathered. */
  hasten(): void {
    const gathering = this.#gathering;
    if (gathering?.timer === undefined) return;
    clearTimeout(gathering.timer);
    gathering.timer = undefined;
    process.nextTick(() => this.#end(gathering));
  }

  #begin(): Gathering {
    const gathering: Gathering = { hashes: new Set(), found: Promise.withResolvers(), timer: undefined };
    gathering.timer = setTimeout(() => this.#end(gathering), this.#patience).unref();
    return gathering;
  }

  #end({ hashes, found }: Gathering): void {
    this.#gathering = undefined;
    const moment = this.#clock.now();
    this.#store.read([...hashes], moment).then((callers) => found.resolve({ callers, moment }), found.reject);
  }
}
