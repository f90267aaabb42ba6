import { HeadgateError } from '../../core/errors.ts';
import type { Preset, PresetVersion } from '../../ports/presets.ts';
import { shownText } from '../../util/shown-text.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { type PresetScope, presetPlace } from './preset-place.ts';

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
export function noSuchPreset(slug: string): HeadgateError {
  return new HeadgateError('not_found', `There is no preset "${shownText(slug)}" in this workspace.`);
}
