import { apiBase } from '../../edge/route.ts';
import {
  pluginDefaultsSchema,
  readPluginDefaults,
  type WrittenPluginDefaults,
} from '../../schema/plugin-defaults.ts';
import {
  choice,
  flag,
  integer,
  list,
  named,
  number,
  orNull,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import { answerOf, closed, Deleted, limit, managed, offset, one, pageOf, queryFlag } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { showWorkspace } from './show.ts';
import {
  changeWorkspace,
  createWorkspace,
  deleteWorkspace,
  deletionConfirmation,
  findWorkspace,
  listWorkspaces,
} from './workspaces.ts';

/** A workspace of an account. */
const WorkspaceSchema = named(
  'Workspace',
  Type.Object({
    id: text(),
    default_guardrail_id: text(),
    name: text(),
    slug: text(),
    description: orNull(text()),
    default_text_model: orNull(text()),
    default_image_model: orNull(text()),
    default_provider_sort: orNull(text()),
    disabled_server_tools: Type.Optional(orNull(list(text()))),
    plugin_defaults: Type.Optional(pluginDefaultsSchema),
    is_observability_io_logging_enabled: flag(),
    is_observability_broadcast_enabled: flag(),
    is_data_discount_logging_enabled: flag(),
    io_logging_sampling_rate: number(),
    io_logging_api_key_ids: orNull(list(integer())),
    created_at: text(),
    updated_at: orNull(text()),
    created_by: orNull(text()),
  }),
);

/** A page of workspaces. */
const WorkspaceList = pageOf('WorkspaceList', WorkspaceSchema);

/** One workspace. */
const WorkspaceAnswer = answerOf('WorkspaceAnswer', WorkspaceSchema);

const settings = {
  description: Type.Optional(orNull(text({ maxLength: 500 }))),
  default_text_model: Type.Optional(orNull(text({ maxLength: 255 }))),
  default_image_model: Type.Optional(orNull(text({ maxLength: 255 }))),
  default_provider_sort: Type.Optional(orNull(choice('price', 'throughput', 'latency', 'exacto'))),
  disabled_server_tools: Type.Optional(
    orNull(list(text({ maxLength: 100, pattern: '^service:[a-z0-9_]+$' }), { maxItems: 100 })),
  ),
  plugin_defaults: Type.Optional(orNull(pluginDefaultsSchema)),
  is_observability_io_logging_enabled: Type.Optional(flag()),
  is_observability_broadcast_enabled: Type.Optional(flag()),
  is_data_discount_logging_enabled: Type.Optional(flag()),
  io_logging_sampling_rate: Type.Optional(number({ minimum: 0.0001, maximum: 1 })),
  io_logging_api_key_ids: Type.Optional(orNull(list(integer()))),
};
const name = text({ minLength: 1, maxLength: 100 });
const slug = text({ minLength: 1, maxLength: 50, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' });

/** The body of `POST /workspaces` (docs/spec/accounts.md#workspaces). */
const CreateWorkspace = named('CreateWorkspace', Type.Object({ name, slug, ...settings }, closed));

/** The body of `PATCH /workspaces/{id}`: absent is unchanged. */
const UpdateWorkspace = named(
  'UpdateWorkspace',
  Type.Object({ name: Type.Optional(name), slug: Type.Optional(slug), ...settings }, closed),
);

const path = `${apiBase}/workspaces`;
const oneWorkspace = { ...one('workspace'), path: `${path}/{id}` } as const;

/** Workspaces of an account (docs/spec/accounts.md#workspaces). One of them is named by its id or its slug. */
export const workspaceRows: readonly Row[] = [
  jsonRow({
    ...managed('workspace'),
    method: 'GET',
    path,
    id: 'listWorkspaces',
    summary: 'The workspaces of the account',
    query: Type.Object({ offset, limit }),
    answer: WorkspaceList,
    handle: async ({ actor, query }, services) => {
      const { workspaces, total } = await listWorkspaces(actor, query, services);
      return { data: workspaces.map(showWorkspace), total_count: total };
    },
  }),
  jsonRow({
    ...managed('workspaces'),
    method: 'POST',
    path,
    id: 'createWorkspace',
    summary: 'Create a workspace',
    body: CreateWorkspace,
    status: 201,
    answer: WorkspaceAnswer,
    handle: async ({ actor, body }, services) => {
      const input = { ...readChange(body), name: body.name, slug: body.slug };
      return { data: showWorkspace(await createWorkspace(actor, input, services)) };
    },
  }),
  jsonRow({
    ...oneWorkspace,
    method: 'GET',
    id: 'getWorkspace',
    summary: 'One workspace',
    answer: WorkspaceAnswer,
    handle: async ({ actor, params: { id = '' } }, services) => ({
      data: showWorkspace(await findWorkspace(actor, id, services)),
    }),
  }),
  jsonRow({
    ...oneWorkspace,
    method: 'PATCH',
    id: 'updateWorkspace',
    summary: 'Change a workspace',
    body: UpdateWorkspace,
    answer: WorkspaceAnswer,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { idOrSlug: id, change: readChange(body) };
      const changed = await changeWorkspace(actor, input, services);
      if (body.is_observability_broadcast_enabled !== undefined) await services.destinationDesk.known();
      return { data: showWorkspace(changed) };
    },
  }),
  jsonRow({
    ...oneWorkspace,
    method: 'DELETE',
    needs: 'workspaces',
    id: 'deleteWorkspace',
    summary: 'Delete a workspace',
    query: Type.Object({
      [deletionConfirmation]: Type.Optional(queryFlag('Needed for the default workspace')),
    }),
    answer: Deleted,
    handle: async ({ actor, params: { id = '' }, query }, services) => {
      const input = { idOrSlug: id, evenDefault: query[deletionConfirmation] ?? false };
      await deleteWorkspace(actor, input, services);
      return { deleted: true };
    },
  }),
];

function readChange(body: Static<typeof UpdateWorkspace>) {
  const tools = body.disabled_server_tools;
  return {
    name: body.name,
    slug: body.slug,
    description: body.description,
    defaultTextModel: body.default_text_model,
    defaultImageModel: body.default_image_model,
    defaultProviderSort: body.default_provider_sort,
    // An empty list clears it.
    disabledServerTools: tools?.length === 0 ? null : tools,
    pluginDefaults: readDefaults(body.plugin_defaults),
    ioLogging: body.is_observability_io_logging_enabled,
    broadcast: body.is_observability_broadcast_enabled,
    dataDiscountLogging: body.is_data_discount_logging_enabled,
    ioLoggingSamplingRate: body.io_logging_sampling_rate,
    ioLoggingKeyIds: body.io_logging_api_key_ids,
  };
}

/** Defaults as they are stored; an empty object clears them. */
function readDefaults(written: WrittenPluginDefaults | null | undefined) {
  if (written === undefined || written === null) return written;
  return Object.keys(written).length === 0 ? null : readPluginDefaults(written, 'plugin_defaults');
}
