import { anyObject, choice, integer, named, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf, closed, pageOf } from './parts.ts';

const status = choice('active', 'disabled', 'archived');

const members = {
  id: text(),
  name: text(),
  slug: text(),
  description: orNull(text()),
  status,
  status_updated_at: orNull(text()),
  designated_version_id: orNull(text()),
  creator_user_id: orNull(text()),
  workspace_id: orNull(text()),
  created_at: text(),
  updated_at: text(),
};

/** One state of a preset's settings. */
const PresetVersionSchema = named(
  'PresetVersion',
  Type.Object({
    id: text(),
    preset_id: text(),
    creator_id: text(),
    version: integer(),
    system_prompt: orNull(text()),
    config: anyObject(),
    created_at: text(),
    updated_at: text(),
  }),
);

/** A page of presets. */
export const PresetList = pageOf('PresetList', named('Preset', Type.Object(members)));

/** One preset with the version that requests get. */
export const PresetAnswer = answerOf(
  'PresetAnswer',
  named('PresetWithVersion', Type.Object({ ...members, designated_version: PresetVersionSchema })),
);

/** A page of versions. */
export const PresetVersionList = pageOf('PresetVersionList', PresetVersionSchema);

/** One version. */
export const PresetVersionAnswer = answerOf('PresetVersionAnswer', PresetVersionSchema);

/** The body of `PATCH /presets/{slug}`: absent is unchanged. */
export const UpdatePreset = named(
  'UpdatePreset',
  Type.Object(
    {
      name: Type.Optional(text({ minLength: 1, maxLength: 100 })),
      description: Type.Optional(orNull(text({ maxLength: 500 }))),
      status: Type.Optional(status),
      designated_version_id: Type.Optional(
        text({ description: 'The id of one of its versions: requests get that one from now on' }),
      ),
    },
    closed,
  ),
);
