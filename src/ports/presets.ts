import type { JsonObject } from '../util/json.ts';

/** Whether requests may name a preset. */
export type PresetStatus = 'active' | 'disabled' | 'archived';

/** One state of a preset's settings; never changes. */
export interface PresetVersion {
  /** A UUID. */
  readonly id: string;
  readonly presetId: string;
  /** The user or key that made it. */
  readonly creatorId: string;
  /** From 1. */
  readonly version: number;
  readonly systemPrompt: string | null;
  /** Members of a request's body by the names of `POST /responses`. */
  readonly config: JsonObject;
  readonly createdAt: number;
}

/** Named settings for requests of a workspace (docs/spec/presets.md). Times are Unix milliseconds. */
export interface Preset {
  /** A UUID. */
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** Unique in its workspace. */
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: PresetStatus;
  readonly statusUpdatedAt: number | null;
  readonly creatorUserId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The version that requests get. */
  readonly designated: PresetVersion;
}

/** The members of a preset that can be changed without a new version. */
export type PresetChange = Partial<Pick<Preset, 'name' | 'description' | 'status'>> & {
  /** The version that requests get from now on. */
  readonly designatedVersionId?: string | undefined;
};

/** Where a preset lives. */
export interface PresetPlace {
  readonly accountId: string;
  readonly workspaceId: string;
}

/** What a new version holds. */
export type NewPresetVersion = Pick<PresetVersion, 'id' | 'creatorId' | 'systemPrompt' | 'config'>;

/** Why a preset was not stored. */
export type PresetRefusal = 'too many presets' | 'too many versions' | 'too many bytes' | 'no workspace';

/** Stores presets and their versions. */
export interface PresetStore {
  find(place: PresetPlace, slug: string): Promise<Preset | undefined>;
  /** By slug, with the total number. */
  list(
    query: PresetPlace & { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly presets: readonly Preset[]; readonly total: number }>;
  /**
   * Stores a version and designates it; creates the preset where there is none of the slug. Two calls at once make two
   * versions.
   * @param limits How many presets a workspace, and how many versions a preset may have; and how many bytes of UTF-8 all
   *   versions of a workspace.
   */
  save(
    preset: PresetPlace & Pick<Preset, 'id' | 'slug' | 'creatorUserId'>,
    version: NewPresetVersion,
    now: number,
    limits: { readonly presets: number; readonly versions: number; readonly bytes: number },
  ): Promise<Preset | PresetRefusal>;
  /** Newest first, with the total number. */
  versions(
    presetId: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly versions: readonly PresetVersion[]; readonly total: number }>;
  version(presetId: string, version: number): Promise<PresetVersion | undefined>;
  /** Changes the given members. Undefined when there is none; nothing changes where it has no such version. */
  update(
    place: PresetPlace,
    slug: string,
    change: PresetChange,
    now: number,
  ): Promise<Preset | 'no such version' | undefined>;
}
