import type { JsonObject } from '../util/json.ts';
import type { SealedSecret, StoredSecret } from './credentials.ts';

/** What a rule of a destination compares. */
export interface FilterRule {
  readonly field: string;
  readonly operator: string;
  readonly value?: string | number;
}

/** Rules that are all true, or of which one is. */
export interface FilterGroup {
  readonly logic: 'and' | 'or';
  readonly rules: readonly FilterRule[];
}

/** Which requests a destination gets: those that every group accepts. */
export interface FilterRules {
  readonly enabled: boolean;
  readonly groups: readonly FilterGroup[];
}

/** What its owner decides of a destination besides its `config`. */
export interface DestinationSettings {
  readonly name: string;
  readonly enabled: boolean;
  /** Keys whose requests are sent; null means all. */
  readonly keyHashes: readonly string[] | null;
  /** The part of sessions that is sent, above 0 and at most 1. */
  readonly samplingRate: number;
  /** Whether what was said stays here. */
  readonly privacyMode: boolean;
  readonly sendsCost: boolean;
  readonly sendsIdentity: boolean;
  readonly sendsContext: boolean;
  readonly filterRules: FilterRules | null;
}

/** How sending went last, as one process noted it. */
export interface DestinationHealth {
  readonly state: 'ok' | 'failing' | 'paused';
  /** Of the last answer; undefined where there was none. */
  readonly status?: number;
  /** A word for why the last try failed. */
  readonly reason?: string;
  /** Unix milliseconds. */
  readonly succeededAt?: number;
  readonly at: number;
}

/** Where traces of a workspace are sent (docs/spec/destinations.md), without its secrets. */
export interface Destination extends DestinationSettings {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** One of the table of types; never changes. */
  readonly type: string;
  /** As it is shown: secrets are masked. */
  readonly config: JsonObject;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Undefined before anything was sent. */
  readonly health?: DestinationHealth;
}

/** What changes of one. */
export type DestinationChange = Partial<DestinationSettings & Pick<Destination, 'config'>>;

/** A destination that gets traces now, with the whole of its `config` sealed. */
export interface ActiveDestination {
  readonly destination: Destination;
  readonly sealed: SealedSecret;
}

/** Stores destinations. Deleted ones are never found again. */
export interface DestinationStore {
  /**
   * Stores one. Undefined where its workspace has as many of its type as it may.
   * @throws StaleMasterKey.
   * @throws HeadgateError `invalid_request` when the account has no such workspace, or no longer has it.
   */
  create(destination: Destination, sealed: SealedSecret, most: number): Promise<Destination | undefined>;
  find(accountId: string, id: string): Promise<Destination | undefined>;
  /** By age, with the total number. @param query.workspaceId Undefined means all. */
  list(query: {
    readonly accountId: string;
    readonly workspaceId?: string | undefined;
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly destinations: readonly Destination[]; readonly total: number }>;
  /** Changes one. Undefined when there is none. @throws StaleMasterKey. */
  update(
    place: { readonly accountId: string; readonly id: string },
    change: DestinationChange,
    now: number,
    sealed?: SealedSecret,
  ): Promise<Destination | undefined>;
  /** Keeps the record and erases its config. False when there is none. */
  delete(accountId: string, id: string, now: number): Promise<boolean>;
  /** The config of one, sealed. */
  sealed(id: string): Promise<SealedSecret | undefined>;
  /** A text that differs once `active` would. Cheap. */
  activeVersion(): Promise<string>;
  /** Those that are enabled, of workspaces that broadcast. */
  active(): Promise<readonly ActiveDestination[]>;
  /** Notes how sending goes; changes nothing that its owner sees as a change. */
  noteHealth(id: string, health: DestinationHealth): Promise<void>;
  /** At most `limit` configs that are sealed under another master key. */
  sealedUnderOthers(masterKeyId: string, limit: number): Promise<readonly StoredSecret[]>;
  /** See `CredentialStore.replaceSealed`. */
  replaceSealed(id: string, before: SealedSecret, after: SealedSecret): Promise<boolean>;
}

/** A destination's type and whole config, as they are tried or sent to. */
export interface OpenDestination {
  readonly type: string;
  readonly config: JsonObject;
}

/** How a test of a destination failed. */
export interface DestinationTestFailure {
  readonly reason: 'dns' | 'refused' | 'tls' | 'timeout' | 'blocked_address' | 'status';
  /** Where it answered. */
  readonly status?: number;
}

/** Tries destinations before they are stored, and opens stored ones. */
export interface DestinationDesk {
  /** Sends an empty export, once. Undefined where it is taken. */
  test(destination: OpenDestination): Promise<DestinationTestFailure | undefined>;
  /** Resolves when what is stored now is known to this process, as others learn it some seconds later. Never rejects. */
  known(): Promise<void>;
  /** The whole config of a stored one. @throws HeadgateError `server` where it cannot be opened. */
  open(destination: Pick<Destination, 'id' | 'accountId'>): Promise<JsonObject>;
  /** Stores a config sealed; called again by `store` throwing StaleMasterKey. */
  seal<Result>(
    config: JsonObject,
    owner: Pick<Destination, 'id' | 'accountId'>,
    store: (sealed: SealedSecret) => Promise<Result>,
  ): Promise<Result>;
}
