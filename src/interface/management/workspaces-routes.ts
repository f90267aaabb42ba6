import { accountPage, queryFlag, queryLimit, queryOffset } from '../../edge/query.ts';
import { changeWorkspace as change } from '../../operations/workspaces/change-workspace.ts';
import { createWorkspace as create } from '../../operations/workspaces/create-workspace.ts';
import {
  deletionConfirmation,
  deleteWorkspace as remove,
} from '../../operations/workspaces/delete-workspace.ts';
import { findWorkspace } from '../../operations/workspaces/find-workspace.ts';
import { listWorkspaces as list } from '../../operations/workspaces/list-workspaces.ts';
import { showWorkspace } from '../../operations/workspaces/show-workspace.ts';
import type { ManagementHandler } from './management-handler.ts';
import { readNewWorkspace, readWorkspaceChange } from './workspace-bodies.ts';

/** `GET /workspaces`: those of the account, oldest first. */
export const listWorkspaces: ManagementHandler = async (call, actor, services) => {
  const page = { offset: queryOffset(call), limit: queryLimit(call, accountPage) };
  const { workspaces, total } = await list(actor, page, services);
  return { data: workspaces.map(showWorkspace), total_count: total };
};

/** `POST /workspaces`. */
export const createWorkspace: ManagementHandler = async ({ body }, actor, services) => ({
  data: showWorkspace(await create(actor, readNewWorkspace(body), services)),
});

/** `GET /workspaces/{id}`, by id or slug. */
export const showOneWorkspace: ManagementHandler = async ({ params: { id = '' } }, actor, services) => ({
  data: showWorkspace(await findWorkspace(actor, id, services)),
});

/** `PATCH /workspaces/{id}`. */
export const changeWorkspace: ManagementHandler = async ({ params, body }, actor, services) => {
  const input = {
    idOrSlug: params.id ?? '',
    // Read once the workspace was found: an id nobody has is reported before a wrong body.
    get change() {
      return readWorkspaceChange(body);
    },
  };
  return { data: showWorkspace(await change(actor, input, services)) };
};

/** `DELETE /workspaces/{id}`: needs that no key of it works; the default one also a confirmation (section 8.1). */
export const deleteWorkspace: ManagementHandler = async (call, actor, services) => {
  const input = {
    idOrSlug: call.params.id ?? '',
    get evenDefault() {
      return queryFlag(call, deletionConfirmation) ?? false;
    },
  };
  await remove(actor, input, services);
  return { deleted: true };
};
