import { getHeapStatistics } from 'node:v8';
import { HeadgateError } from '../core/errors.ts';

/** Why new requests are refused: the heap is nearly full, or the event loop does not keep up. */
export type Overload = 'memory' | 'event_loop';

/** What is measured; tests give their own. */
export interface LoadProbe {
  /** The part of the heap limit that is in use. */
  readonly heap: () => number;
  /** Collects garbage now, so that `heap` is what is really needed. */
  readonly collect: () => void;
  /** Milliseconds of any clock that goes evenly. */
  readonly now: () => number;
  /** Milliseconds of processor time the event loop's thread has used. */
  readonly busy: () => number;
}

/** Milliseconds between two looks. */
const pause = 250;
/** Parts of the heap limit from which requests are refused, and below which they are taken again. */
const fullHeap = 0.9;
const freeHeap = 0.8;
/** Milliseconds that a look may come late. One may: a large garbage collection takes as long. */
const longestLag = 1000;
const lateLooks = 2;
/** Milliseconds between two garbage collections that are asked for here. */
const collectPause = 5_000;

/** Watches how near this process is to its limits, so that new requests are refused before running ones suffer. */
export class LoadGuard {
  readonly #probe: LoadProbe;
  readonly #timer: NodeJS.Timeout;
  #memory = false;
  #late = 0;
  #looked: number;
  #busy: number;
  #collected = Number.NEGATIVE_INFINITY;

  constructor(probe: LoadProbe) {
    this.#probe = probe;
    this.#looked = probe.now();
    this.#busy = probe.busy();
    this.#timer = setInterval(() => this.look(), pause).unref();
  }

  /** Undefined while requests are welcome. */
  get overload(): Overload | undefined {
    if (this.#memory) return 'memory';
    return this.#late >= lateLooks ? 'event_loop' : undefined;
  }

  /** Measures; called by itself from time to time. */
  look(): void {
    this.#lookAtLoop();
    this.#memory = this.#isHeapFull();
    // A collection takes time that is not the requests' doing.
    this.#looked = this.#probe.now();
    this.#busy = this.#probe.busy();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #lookAtLoop(): void {
    const passed = this.#probe.now() - this.#looked;
    const busy = this.#probe.busy() - this.#busy;
    // A process that others kept from running has no more work than it can do.
    const isLate = passed > pause + longestLag && busy > passed / 2;
    this.#late = isLate ? this.#late + 1 : 0;
  }

  #isHeapFull(): boolean {
    const { heap, collect, now } = this.#probe;
    const limit = this.#memory ? freeHeap : fullHeap;
    if (heap() < limit) return false;
    // Much of it may be garbage, which nothing would collect while no requests come.
    if (now() - this.#collected < collectPause) return true;
    this.#collected = now();
    collect();
    return heap() >= limit;
  }
}

/** Measures this process. */
export function processProbe(collect: () => void): LoadProbe {
  return {
    heap: () => {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return used / limit;
    },
    collect,
    now: () => performance.now(),
    busy: () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    },
  };
}

/** Seconds after which another server may have taken over. */
const drainingRetry = 5;
/** Seconds after which running requests may be over. */
const overloadRetry = 2;

/** Whether this process can take more requests. */
export interface LoadState {
  /** Why it cannot; undefined while it can. */
  readonly overload: Overload | undefined;
}

/** @throws HeadgateError `service_unavailable` when the server takes no more requests. */
export function refuseUnwelcome(lifecycle: { readonly draining: boolean }, load: LoadState): void {
  if (lifecycle.draining) {
    const message = 'The server is shutting down.';
    throw new HeadgateError('service_unavailable', message, { retryAfter: drainingRetry });
  }
  if (load.overload !== undefined) {
    const message = 'The server has more to do than it can.';
    throw new HeadgateError('service_unavailable', message, { retryAfter: overloadRetry });
  }
}
