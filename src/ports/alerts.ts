/** What an alert is raised for, once: a threshold of a subject within a window. */
export interface AlertPlace {
  /** Such as `key <hash>`. */
  readonly subject: string;
  readonly threshold: string;
  /** Names the window; while the threshold stays crossed it stays the same. */
  readonly window: string;
}

/** An alert as it is stored and sent. */
export interface NewAlert extends AlertPlace {
  /** Unique; receivers recognize repetitions by it. */
  readonly id: string;
  /** Such as `key.limit`; in the body too. */
  readonly type: string;
  /** What is sent, JSON. */
  readonly body: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** When its place may be forgotten, Unix milliseconds; null while nobody knows. */
  readonly expiresAt: number | null;
}

/** An alert that is to be sent now. */
export interface DueAlert {
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** Earlier attempts. */
  readonly attempts: number;
}

/** An alert of the past, and what became of it. Times are Unix milliseconds. */
export interface RaisedAlert {
  readonly id: string;
  readonly type: string;
  /** What is sent, JSON. */
  readonly body: string;
  readonly createdAt: number;
  readonly attempts: number;
  /** When its receiver took it. */
  readonly deliveredAt: number | null;
  /** When it is sent next; null where it was delivered or given up. */
  readonly dueAt: number | null;
}

/** How long alerts can be read after they were raised, in milliseconds. */
export const keptAlerts = 7 * 86_400_000;

/** Stores alerts until they are delivered, and which were raised, for all processes. */
export interface AlertStore {
  /** The places of these subjects for which alerts were raised. */
  raisedFor(subjects: readonly string[]): Promise<readonly AlertPlace[]>;
  /** Stores an alert to be sent. False when one was raised for its place already. */
  raise(alert: NewAlert): Promise<boolean>;
  /** Lets an alert be raised for a place again. */
  rearm(place: AlertPlace, now: number): Promise<void>;
  /** Takes an alert that is due; nobody else gets it before `until` (Unix milliseconds). */
  take(now: number, until: number): Promise<DueAlert | undefined>;
  /** Notes an attempt that failed. @param next When to try again, Unix milliseconds; null gives up. */
  postpone(id: string, next: number | null): Promise<void>;
  /** Notes a delivery. */
  delivered(id: string, now: number): Promise<void>;
  /** Deletes what is over, no longer waits to be sent, and is old enough that nobody reads it. */
  prune(now: number): Promise<void>;
  /** Those that were raised since a moment, newest first. */
  raisedSince(from: number, limit: number): Promise<readonly RaisedAlert[]>;
}
