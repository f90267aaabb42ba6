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
  delivered(id: string): Promise<void>;
  /** Deletes what is over and no longer waits to be sent. */
  prune(now: number): Promise<void>;
}
