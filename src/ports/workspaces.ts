/** What the owner of a workspace sets (accounts-and-limits 1.3); null is not set. */
export interface WorkspaceSettings {
  readonly description: string | null;
  readonly defaultTextModel: string | null;
  readonly defaultImageModel: string | null;
  readonly defaultProviderSort: string | null;
  /** Server tools that requests of the workspace may not name; null is none. */
  readonly disabledServerTools: readonly string[] | null;
  readonly ioLogging: boolean;
  readonly broadcast: boolean;
  readonly dataDiscountLogging: boolean;
  /** From 0.0001 to 1. */
  readonly ioLoggingSamplingRate: number;
  /** Null is all keys. */
  readonly ioLoggingKeyIds: readonly number[] | null;
}

/** What requests of a workspace's keys go by where they say nothing themselves (accounts-and-limits 1.3). */
export interface RequestDefaults {
  /** The model of a request that names none. */
  readonly textModel?: string;
  /** What endpoints are ordered by: `price`, `throughput`, `latency` or `exacto`. */
  readonly providerSort?: string;
}

/** A part of an account that keys and credentials belong to. Times are Unix milliseconds. */
export interface Workspace extends WorkspaceSettings {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Unique in its account. */
  readonly slug: string;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly createdBy: string | null;
}

/** What of a workspace its owner can change. */
export type WorkspaceChange = Partial<WorkspaceSettings & Pick<Workspace, 'name' | 'slug'>>;

/** Why a workspace was not stored or deleted. */
export type WorkspaceRefusal = 'slug taken' | 'has keys' | 'is the default';

/** The settings of a workspace nobody has set anything for. */
export const plainSettings: WorkspaceSettings = {
  description: null,
  defaultTextModel: null,
  defaultImageModel: null,
  defaultProviderSort: null,
  disabledServerTools: null,
  ioLogging: false,
  broadcast: false,
  dataDiscountLogging: false,
  ioLoggingSamplingRate: 1,
  ioLoggingKeyIds: null,
};

/** Keeps workspaces; the default one comes with its account. */
export interface WorkspaceStore {
  /** `slug taken` when another workspace of the account has the slug. */
  create(workspace: Workspace): Promise<'slug taken' | undefined>;
  /** The workspace of an account with this id or slug. */
  find(accountId: string, idOrSlug: string): Promise<Workspace | undefined>;
  /** Oldest first, with how many there are in all. */
  list(query: {
    readonly accountId: string;
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly workspaces: readonly Workspace[]; readonly total: number }>;
  /** Changes what is given. Undefined when there is none. */
  update(
    accountId: string,
    id: string,
    change: WorkspaceChange,
    now: number,
  ): Promise<Workspace | 'slug taken' | undefined>;
  /**
   * Deletes a workspace, and its provider credentials with their secrets; its keys keep its id. Refused while it has keys that work, or,
   * unless that is confirmed, when it is the account's default one; deleting that leaves the account without one.
   * Undefined when it is gone or was not there.
   */
  delete(
    accountId: string,
    id: string,
    options: { readonly evenDefault: boolean; readonly now: number },
  ): Promise<Exclude<WorkspaceRefusal, 'slug taken'> | 'deleted' | undefined>;
}
