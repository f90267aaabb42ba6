import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type {
  NewPresetVersion,
  Preset,
  PresetChange,
  PresetPlace,
  PresetRefusal,
  PresetVersion,
} from '../../ports/presets.ts';
import { malformed } from '../../schema/fault.ts';
import { shownText } from '../../util/shown-text.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { presetLook } from '../audit/looks.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { chooseWorkspace } from '../workspaces/workspaces.ts';

/** How many presets a workspace, and how many versions a preset may have. */
const limits = { presets: 1_000, versions: 1_000 };
/** How long the settings and the system prompt of a version may be as JSON, in characters. */
const longest = 262_144;
const slugForm = /^[a-z0-9][a-z0-9._-]{0,63}$/;

type SaveServices = UsesToChange<'accounts' | 'workspaces' | 'presets', 'stored'>;

/** A preset's slug and what its new version holds. */
export interface SavedPreset extends Pick<NewPresetVersion, 'systemPrompt' | 'config'> {
  readonly slug: string;
}

/**
 * Stores settings as the newest version of a preset, which requests get from then on; creates the preset where there is none
 * (docs/spec/presets.md#versions).
 * @throws HeadgateError `invalid_request` for a slug that cannot be one, settings that are too long, and too many of either;
 *   `payload_too_large` when the presets of the workspace would take too much room.
 */
export function savePreset(
  actor: Actor,
  scope: PresetScope,
  { slug: written, systemPrompt, config }: SavedPreset,
  services: SaveServices,
): Promise<Preset> {
  const slug = written.toLowerCase();
  const attempt = { actor, action: 'preset.save', id: slug } as const;
  return notingRefusal(attempt, services, async () => {
    if (!slugForm.test(slug)) {
      throw malformed(
        'slug',
        'expected 1 to 64 letters, digits, ".", "_" or "-", the first one a letter or digit',
      );
    }
    const length = JSON.stringify([systemPrompt, config]).length;
    if (length > longest) {
      throw malformed('body', `the settings take ${length} characters of JSON; at most ${longest} are kept`);
    }
    const place = await presetPlace(actor, scope, services);
    const creatorUserId = actor.kind === 'key' ? actor.userId : null;
    const creatorId = creatorUserId ?? (actor.kind === 'key' ? actor.keyHash : 'operator');
    const preset = { ...place, id: randomUUID(), slug, creatorUserId };
    const version = { id: randomUUID(), creatorId, systemPrompt, config };
    const look = presetLook(place, slug);
    const { presetBytes: bytes } = services.stored;
    return makeChange({ ...attempt, ...place, look }, services, async ({ presets }) => {
      const saved = await presets.save(preset, version, services.clock.now(), { ...limits, bytes });
      if (typeof saved === 'string') throw refusalOf(saved, bytes);
      return saved;
    });
  });
}

/**
 * Changes name, description or status of a preset, or which version requests get.
 * @throws HeadgateError `not_found`; `invalid_request` for a version that is none of the preset.
 */
export function changePreset(
  actor: Actor,
  scope: PresetScope,
  { slug: written, change }: { readonly slug: string; readonly change: PresetChange },
  services: Omit<SaveServices, 'stored'>,
): Promise<Preset> {
  const slug = written.toLowerCase();
  const attempt = { actor, action: 'preset.update', id: slug } as const;
  return notingRefusal(attempt, services, async () => {
    const place = await presetPlace(actor, scope, services);
    const look = presetLook(place, slug);
    return makeChange({ ...attempt, ...place, look }, services, async ({ presets }) => {
      const changed = await presets.update(place, slug, change, services.clock.now());
      if (changed === undefined) throw noSuchPreset(slug);
      if (changed === 'no such version') {
        throw malformed('designated_version_id', 'is no version of this preset; GET its versions');
      }
      return changed;
    });
  });
}

function refusalOf(refusal: PresetRefusal, bytes: number): HeadgateError {
  switch (refusal) {
    case 'too many presets':
      return new HeadgateError('invalid_request', `A workspace may have at most ${limits.presets} presets.`);
    case 'too many versions':
      return new HeadgateError('invalid_request', `A preset may have at most ${limits.versions} versions.`);
    case 'too many bytes':
      return new HeadgateError(
        'payload_too_large',
        `The presets of a workspace may have ${bytes} bytes together, all versions counted; use another workspace, or have ` +
          'limits.stored.preset_bytes raised.',
      );
    case 'no workspace':
      return malformed('workspace_id', 'is no workspace of this account');
  }
}

type ReadServices = Uses<'accounts' | 'workspaces' | 'presets'>;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** A page of the presets of a workspace, whatever their status, by slug. */
export async function listPresets(actor: Actor, scope: PresetScope, page: Page, services: ReadServices) {
  const place = await presetPlace(actor, scope, services);
  return services.storage.presets.list({ ...place, ...page });
}

/** The preset of a slug, whatever its status. @throws HeadgateError `not_found`. */
export async function findPreset(
  actor: Actor,
  scope: PresetScope,
  slug: string,
  services: ReadServices,
): Promise<Preset> {
  const place = await presetPlace(actor, scope, services);
  const preset = await services.storage.presets.find(place, slug.toLowerCase());
  if (preset === undefined) throw noSuchPreset(slug);
  return preset;
}

/** The versions of a preset, newest first. @throws HeadgateError `not_found`. */
export async function listPresetVersions(
  actor: Actor,
  scope: PresetScope,
  { slug, ...page }: Page & { readonly slug: string },
  services: ReadServices,
) {
  const { id } = await findPreset(actor, scope, slug, services);
  return services.storage.presets.versions(id, page);
}

/** One version of a preset by its number. @throws HeadgateError `not_found`. */
export async function findPresetVersion(
  actor: Actor,
  scope: PresetScope,
  { slug, version }: { readonly slug: string; readonly version: string },
  services: ReadServices,
): Promise<PresetVersion> {
  const { id } = await findPreset(actor, scope, slug, services);
  const number = /^[1-9][0-9]{0,8}$/.test(version) ? Number(version) : undefined;
  const found = number === undefined ? undefined : await services.storage.presets.version(id, number);
  if (found === undefined) {
    throw new HeadgateError(
      'not_found',
      `The preset "${shownText(slug)}" has no version ${shownText(version)}.`,
    );
  }
  return found;
}

/** The refusal of a slug that names no preset of the workspace. */
function noSuchPreset(slug: string): HeadgateError {
  return new HeadgateError('not_found', `There is no preset "${shownText(slug)}" in this workspace.`);
}

/** Whose presets an operation is about. */
interface PresetScope {
  /** The workspace of the key in use; null and undefined where it has none. */
  readonly ownWorkspace?: string | null;
  /** The workspace that is named instead. */
  readonly workspace?: string;
}

/**
 * The workspace whose presets are meant: the key's own, the one named, else the account's default one.
 * @throws HeadgateError `invalid_request` when it is none of the account's.
 */
async function presetPlace(
  actor: Actor,
  { ownWorkspace, workspace }: PresetScope,
  services: Uses<'accounts' | 'workspaces'>,
): Promise<PresetPlace> {
  const account = await accountOf(actor, undefined, services);
  const named = ownWorkspace ?? workspace;
  return {
    accountId: account.id,
    workspaceId: await chooseWorkspace(actor, account, named ?? undefined, services),
  };
}
