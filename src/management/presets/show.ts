import type { Preset, PresetVersion } from '../../ports/presets.ts';
import { isoTime } from '../../util/iso-time.ts';

/** A preset as lists show it (docs/spec/presets.md#routes). */
export function showPreset(preset: Preset) {
  return {
    id: preset.id,
    name: preset.name,
    slug: preset.slug,
    description: preset.description,
    status: preset.status,
    status_updated_at: preset.statusUpdatedAt === null ? null : isoTime(preset.statusUpdatedAt),
    designated_version_id: preset.designated.id,
    creator_user_id: preset.creatorUserId,
    workspace_id: preset.workspaceId,
    created_at: isoTime(preset.createdAt),
    updated_at: isoTime(preset.updatedAt),
  };
}

/** A preset with the version that requests get. */
export function showWholePreset(preset: Preset) {
  return { ...showPreset(preset), designated_version: showPresetVersion(preset.designated) };
}

/** One version of a preset. */
export function showPresetVersion(version: PresetVersion) {
  return {
    id: version.id,
    preset_id: version.presetId,
    creator_id: version.creatorId,
    version: version.version,
    system_prompt: version.systemPrompt,
    config: version.config,
    created_at: isoTime(version.createdAt),
    updated_at: isoTime(version.createdAt),
  };
}
