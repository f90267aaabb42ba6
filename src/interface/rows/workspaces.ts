import { apiBase } from '../../edge/paths.ts';
import { changeWorkspace } from '../../operations/workspaces/change-workspace.ts';
import { createWorkspace } from '../../operations/workspaces/create-workspace.ts';
import { deleteWorkspace, deletionConfirmation } from '../../operations/workspaces/delete-workspace.ts';
import { findWorkspace } from '../../operations/workspaces/find-workspace.ts';
import { listWorkspaces } from '../../operations/workspaces/list-workspaces.ts';
import { showWorkspace } from '../../operations/workspaces/show-workspace.ts';
import { readPluginDefaults, type WrittenPluginDefaults } from '../../schema/plugin-defaults.ts';
import { type Static, Type } from '../../util/json-schema.ts';
import { jsonRow, type Row } from '../row.ts';
import { Deleted } from '../schemas/parts.ts';
import { CreateWorkspace, UpdateWorkspace, WorkspaceAnswer, WorkspaceList } from '../schemas/workspaces.ts';
import { managed, one } from './management-parts.ts';
import { limit, offset, queryFlag } from './query-parts.ts';

const path = `${apiBase}/workspaces`;
const oneWorkspace = { ...one, path: `${path}/{id}` } as const;

/** Workspaces of an account (docs/spec/accounts.md#workspaces). One of them is named by its id or its slug. */
export const workspaceRows: readonly Row[] = [
  jsonRow({
    ...managed,
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
    ...managed,
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
      return { data: showWorkspace(await changeWorkspace(actor, input, services)) };
    },
  }),
  jsonRow({
    ...oneWorkspace,
    method: 'DELETE',
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
