/** A key that somebody has logged in with. */
export interface Principal {
  readonly keyHash: string;
  /** SHA-256 of the secret that was typed; absent where a link brought the key in. */
  readonly secretHash?: string;
  readonly kind: 'inference' | 'management';
  readonly accountId: string;
  /** When the key itself was typed, Unix milliseconds; undefined where a link brought it in. */
  readonly typedAt?: number;
}

/** A session of the dashboard. Neither of its two tokens is stored, only their SHA-256. Times are Unix milliseconds. */
export interface DashboardSession {
  /** SHA-256 of what the cookie holds, lowercase hex. */
  readonly id: string;
  /** SHA-256 of the token that pages send as a header. */
  readonly csrf: string;
  /** At least one; the session began with the first. */
  readonly principals: readonly Principal[];
  readonly createdAt: number;
  /** When somebody last did something, to the minute. */
  readonly usedAt: number;
  /** When it ends, however often it is used. */
  readonly endsAt: number;
  /** Milliseconds without use after which it ends. */
  readonly idle: number;
  readonly address: string | null;
  /** The family of the browser, such as "Firefox". */
  readonly browser: string;
}

/** A link that logs in once. */
export interface LoginLink {
  /** SHA-256 of its code, lowercase hex. */
  readonly codeHash: string;
  readonly keyHash: string;
  readonly expiresAt: number;
}

/** Sessions that may live at once. One of the account with most of them makes room. */
export const mostSessions = 1_000;
/** Sessions that may live at once of those that began with one key. Its own one unused for longest makes room. */
export const mostSessionsOfKey = 20;

/** Keeps the sessions of the dashboard, so that they outlive a restart and hold in every process. */
export interface DashboardSessionStore {
  /**
   * Stores a session. Ended ones go, then those of its key unused for longest while that has too many, then, while there are
   * too many in all, those of the account with most of them: of its key with most, of inference before management, and
   * unused for longest.
   */
  create(session: DashboardSession): Promise<void>;
  /** A session, whether it has ended or not. */
  find(id: string): Promise<DashboardSession | undefined>;
  /** Notes that it was used. */
  touch(id: string, usedAt: number): Promise<void>;
  /** Notes who acts in it. */
  setPrincipals(id: string, principals: readonly Principal[]): Promise<void>;
  /** False when there is none. */
  delete(id: string): Promise<boolean>;
  /** Those that began with a key, newest first. */
  ofKey(keyHash: string): Promise<readonly DashboardSession[]>;
  /** Stores a link; those that have expired by `now` go. */
  createLink(link: LoginLink, now: number): Promise<void>;
  /** Uses a link up and returns the hash of its key; undefined when it is unknown, used or expired. */
  takeLink(codeHash: string, now: number): Promise<string | undefined>;
}
