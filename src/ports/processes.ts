/** How a process of the installation is doing. Times are milliseconds, sizes bytes. */
export interface ProcessFigures {
  readonly node: string;
  /** Whether it takes requests, or why not. */
  readonly state: 'starting' | 'ready' | 'draining' | 'memory' | 'event_loop';
  /** The states of what it depends on, by name. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly running: number;
  readonly streams: number;
  /** Charges that are durable but not in the database yet. */
  readonly waitingCharges: number;
  /** How long its last report took to reach the database; null before the second one. */
  readonly databaseTime: number | null;
  readonly memory: {
    readonly resident: number;
    readonly heapUsed: number;
    readonly heapLimit: number;
  };
  /** Over the last seconds, of one processor core: 1.5 is one and a half. */
  readonly cpu: number;
  /** The share of the last seconds in which its main thread had work, 0 to 1. */
  readonly loopBusy: number;
  /** How late 99 of 100 timers of the last seconds were at most, to the bound of a bucket; null before the first. */
  readonly loopDelay: number | null;
}

/** A process of the installation as it reported itself. Times are Unix milliseconds of its own clock. */
export interface ProcessReport {
  /** Of this run of the program. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Undefined where its version says something else than this one. */
  readonly figures: ProcessFigures | undefined;
}

/** How many processes are kept; those that were not heard of for longest make room. */
export const keptProcesses = 100;

/** How long a process that is not heard of any more is kept, in milliseconds. */
export const processMemory = 3_600_000;

/** Keeps what processes report of themselves, so that each can tell how the others are. */
export interface ProcessStore {
  /** Notes how a process is now, in place of what it said before. */
  report(report: ProcessReport): Promise<void>;
  /** Forgets a process that ends. */
  leave(id: string): Promise<void>;
  /** Forgets those that were last seen too long ago, and the oldest while there are too many. */
  prune(now: number): Promise<void>;
  /** All that are kept, the one that started first at the top. */
  list(): Promise<readonly ProcessReport[]>;
}
