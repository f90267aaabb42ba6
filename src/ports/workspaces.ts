import type { PluginDefaults } from '../core/plugin-defaults.ts';

/** What the owner of a workspace sets (docs/spec/accounts.md#workspaces); null means unset. */
export interface WorkspaceSettings {
  readonly description: string | null;
  readonly defaultTextModel: string | null;
  readonly defaultImageModel: string | null;
  readonly defaultProviderSort: string | null;
  /** Server tools that requests of the workspace may not name; null means none. */
  readonly disabledServerTools: readonly string[] | null;
  /** Plugins that are on for requests that do not name them; null means none. */
  readonly pluginDefaults: PluginDefaults | null;
  readonly ioLogging: boolean;
  readonly broadcast: boolean;
  readonly dataDiscountLogging: boolean;
  /** From 0.0001 to 1. */
  readonly ioLoggingSamplingRate: number;
  /** Null means all keys. */
  readonly ioLoggingKeyIds: readonly number[] | null;
}

/** The defaults for requests with a workspace's keys (docs/spec/accounts.md#workspaces). */
export interface RequestDefaults {
  /** The model of a request that names none. */
  readonly textModel?: string;
  /** The order of endpoints: `price`, `throughput`, `latency` or `exacto`. */
  readonly providerSort?: string;
  /** Tools of the gateway that a request must not name, by their type ids. */
  readonly disabledTools?: readonly string[];
  /** Plugins that are on for requests that do not name them. */
  readonly plugins?: PluginDefaults;
  /** Which of them have kept what is said; undefined where none has. */
  readonly contentLogging?: WorkspaceContentLogging;
}

/** Which requests of a workspace have kept what is said (docs/spec/content.md#which-requests). */
export interface WorkspaceContentLogging {
  /** The part of requests, above 0 and at most 1. */
  readonly rate: number;
  /** Of keys with these numbers alone; null is every key. */
  readonly keyNumbers: readonly number[] | null;
}

/** A part of an account that groups keys and credentials. Times are Unix milliseconds. */
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

/** The members of a workspace that its owner can change. */
export type WorkspaceChange = Partial<WorkspaceSettings & Pick<Workspace, 'name' | 'slug'>>;

/** Why a workspace was not stored or deleted. */
export type WorkspaceRefusal = 'slug taken' | 'has keys' | 'is the default';

/** The default settings of a workspace. */
export const plainSettings: WorkspaceSettings = {
  description: null,
  defaultTextModel: null,
  defaultImageModel: null,
  defaultProviderSort: null,
  disabledServerTools: null,
  pluginDefaults: null,
  ioLogging: false,
  broadcast: false,
  dataDiscountLogging: false,
  ioLoggingSamplingRate: 1,
  ioLoggingKeyIds: null,
};

/** Stores workspaces; the default one is created with its account. */
export interface WorkspaceStore {
  /** `slug taken` when another workspace of the account has the slug. */
  create(workspace: Workspace): Promise<'slug taken' | undefined>;
  /** The workspace of an account with this id or slug. */
  find(accountId: string, idOrSlug: string): Promise<Workspace | undefined>;
  /** Oldest first, with the total number. */
  list(query: {
    readonly accountId: string;
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly workspaces: readonly Workspace[]; readonly total: number }>;
  /** Changes the given members. Undefined when there is none. */
  update(
    accountId: string,
    id: string,
    change: WorkspaceChange,
    now: number,
  ): Promise<Workspace | 'slug taken' | undefined>;
  /**
   * Deletes a workspace, and its provider credentials with their secrets; its keys keep its id. Refused while it has
   * enabled keys. Also refused without confirmation when it is the account's default one; deleting that leaves the
   * account without one. Undefined when it does not exist.
   */
  delete(
    accountId: string,
    id: string,
    options: { readonly evenDefault: boolean; readonly now: number },
  ): Promise<Exclude<WorkspaceRefusal, 'slug taken'> | 'deleted' | undefined>;
}
