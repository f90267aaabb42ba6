import { type PresetDialect, readPresetSettings } from '../../dialects/gateway/preset-settings.ts';
import type { PublicDialect } from '../../dialects/public-dialect.ts';
import { readCall } from '../../edge/read-call.ts';
import { apiBase } from '../../edge/route.ts';
import type { ReceivedRequest } from '../../http/request.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import { isObject } from '../../util/json.ts';
import {
  anyObject,
  choice,
  integer,
  named,
  orNull,
  type TSchema,
  Type,
  text,
} from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { answerOf, closed, limit, offset, one, pageOf } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  changePreset,
  findPreset,
  findPresetVersion,
  listPresets,
  listPresetVersions,
  savePreset,
} from './presets.ts';
import { showPreset, showPresetVersion, showWholePreset } from './show.ts';

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
const PresetList = pageOf('PresetList', named('Preset', Type.Object(members)));

/** One preset with the version that requests get. */
const PresetAnswer = answerOf(
  'PresetAnswer',
  named('PresetWithVersion', Type.Object({ ...members, designated_version: PresetVersionSchema })),
);

/** A page of versions. */
const PresetVersionList = pageOf('PresetVersionList', PresetVersionSchema);

/** One version. */
const PresetVersionAnswer = answerOf('PresetVersionAnswer', PresetVersionSchema);

/** The body of `PATCH /presets/{slug}`: absent is unchanged. */
const UpdatePreset = named(
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

const path = `${apiBase}/presets`;
const read = { access: 'key', needs: 'presets', reachesDatabase: true } as const;
const workspace = Type.Optional(
  text({ description: 'For management keys: the workspace; its default is that of the account' }),
);
const InWorkspace = Type.Object({ workspace_id: workspace });

function scopeOf({ key }: Caller, workspaceId: string | undefined) {
  return { ownWorkspace: key.workspaceId, workspace: workspaceId };
}

/** What makes requests that presets are made of: the dialect that reads a body, and its schema. */
type PresetDoors = Readonly<
  Record<PresetDialect, { readonly dialect: PublicDialect; readonly body: TSchema }>
>;

/** Makes a preset out of a body of a dialect, which is read as if it was sent. */
function savingRow(name: PresetDialect, { dialect, body }: PresetDoors[PresetDialect]): Row {
  return jsonRow({
    access: 'management',
    needs: 'presets',
    reachesDatabase: true,
    method: 'POST',
    path: `${path}/{slug}${dialect.path}`,
    rate: 'presets',
    id: `savePresetFrom${dialect.path.replace(/(^|\/)(\w)/g, (_all, _slash, letter: string) => letter.toUpperCase())}`,
    summary: 'Store the settings of a request as the newest version of a preset; nothing is run',
    query: InWorkspace,
    body,
    answer: PresetAnswer,
    failures: ['unprocessable', 'payload_too_large'],
    handle: async (call, services) => {
      const { caller, actor, params, query } = call;
      const { slug = '' } = params;
      const settings = readPresetSettings(checkedBody(call, caller, dialect, services), name);
      const scope = scopeOf(caller, query.workspace_id);
      return { data: showWholePreset(await savePreset(actor, scope, { slug, ...settings }, services)) };
    },
  });
}

/** The body, once its dialect could read it with a conversation of some kind. */
function checkedBody(
  received: ReceivedRequest,
  caller: Caller,
  dialect: PublicDialect,
  services: InterfaceServices,
) {
  const { body } = received;
  if (!isObject(body)) throw malformed('', 'expected an object');
  const { preset: _preset, ...members } = body;
  if (typeof members.model === 'string' && members.model.includes('@preset/')) {
    throw malformed('model', 'a preset cannot name a preset');
  }
  const hello = { role: 'user', content: 'Hello' };
  const conversation = dialect.name === 'responses' ? { input: 'Hello' } : { messages: [hello] };
  const usual = {
    model: 'any/model',
    ...conversation,
    ...(dialect.name === 'messages' && { max_tokens: 1024 }),
  };
  readCall({ ...received, body: { ...usual, ...members } }, caller, dialect, services);
  return members;
}

/** Presets of a workspace (docs/spec/presets.md#routes): management keys write, every key reads. */
export const presetRows: readonly Row[] = [
  jsonRow({
    ...read,
    method: 'GET',
    path,
    id: 'listPresets',
    summary: 'The presets of the workspace',
    query: Type.Object({ offset, limit, workspace_id: workspace }),
    answer: PresetList,
    handle: async ({ actor, caller, query: { offset: from, limit: most, workspace_id: id } }, services) => {
      const page = { offset: from, limit: most };
      const { presets, total } = await listPresets(actor, scopeOf(caller, id), page, services);
      return { data: presets.map(showPreset), total_count: total };
    },
  }),
  jsonRow({
    ...read,
    method: 'GET',
    path: `${path}/{slug}`,
    id: 'getPreset',
    summary: 'One preset with the version that requests get',
    query: InWorkspace,
    answer: PresetAnswer,
    failures: ['not_found'],
    handle: async ({ actor, caller, params: { slug = '' }, query }, services) => ({
      data: showWholePreset(await findPreset(actor, scopeOf(caller, query.workspace_id), slug, services)),
    }),
  }),
  jsonRow({
    ...read,
    method: 'GET',
    path: `${path}/{slug}/versions`,
    id: 'listPresetVersions',
    summary: 'The versions of a preset, newest first',
    query: Type.Object({ offset, limit, workspace_id: workspace }),
    answer: PresetVersionList,
    failures: ['not_found'],
    handle: async ({ actor, caller, params: { slug = '' }, query }, services) => {
      const page = { slug, offset: query.offset, limit: query.limit };
      const scope = scopeOf(caller, query.workspace_id);
      const { versions, total } = await listPresetVersions(actor, scope, page, services);
      return { data: versions.map(showPresetVersion), total_count: total };
    },
  }),
  jsonRow({
    ...read,
    method: 'GET',
    path: `${path}/{slug}/versions/{version}`,
    id: 'getPresetVersion',
    summary: 'One version of a preset',
    query: InWorkspace,
    answer: PresetVersionAnswer,
    failures: ['not_found'],
    handle: async ({ actor, caller, params: { slug = '', version = '' }, query }, services) => {
      const scope = scopeOf(caller, query.workspace_id);
      return { data: showPresetVersion(await findPresetVersion(actor, scope, { slug, version }, services)) };
    },
  }),
  jsonRow({
    ...one('presets'),
    method: 'PATCH',
    path: `${path}/{slug}`,
    rate: 'presets',
    id: 'updatePreset',
    summary: 'Change the name, description or status of a preset, or which version requests get',
    query: InWorkspace,
    body: UpdatePreset,
    answer: PresetAnswer,
    handle: async ({ actor, caller, params: { slug = '' }, query, body }, services) => {
      const scope = scopeOf(caller, query.workspace_id);
      const { designated_version_id: designatedVersionId, ...members } = body;
      const change = { ...members, designatedVersionId };
      return { data: showWholePreset(await changePreset(actor, scope, { slug, change }, services)) };
    },
  }),
];

/** Presets made out of bodies of each dialect that knows them. */
export function savingRows({ responses, chat, messages }: PresetDoors): readonly Row[] {
  return [savingRow('responses', responses), savingRow('chat', chat), savingRow('messages', messages)];
}
