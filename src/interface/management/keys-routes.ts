import { queryFlag, queryOffset, queryText } from '../../edge/query.ts';
import { changeKey as change } from '../../operations/keys/change-key.ts';
import { createKey as create } from '../../operations/keys/create-key.ts';
import { deleteKey as remove } from '../../operations/keys/delete-key.ts';
import { readKey } from '../../operations/keys/find-key.ts';
import { listKeys as list } from '../../operations/keys/list-keys.ts';
import { showKey } from '../../operations/keys/show-key.ts';
import { readKeyChange, readNewKey } from './key-bodies.ts';
import type { ManagementHandler } from './management-handler.ts';

/** `GET /keys`: the keys of a workspace, newest first, a hundred at a time. */
export const listKeys: ManagementHandler = async (call, actor, services) => {
  const page = {
    workspace: queryText(call, 'workspace_id'),
    get includeDisabled() {
      return queryFlag(call, 'include_disabled') ?? false;
    },
    get offset() {
      return queryOffset(call);
    },
  };
  return { data: (await list(actor, page, services)).map(showKey) };
};

/** `POST /keys`: creates a key and shows the raw key, this once. */
export const createKey: ManagementHandler = async (call, actor, services) => {
  const { workspaceId: workspace, ...asked } = readNewKey(call.body, services.clock.now());
  const created = await create(actor, { ...asked, workspace, kind: 'inference' }, services);
  return { data: showKey(created), key: created.raw };
};

/** `GET /keys/{hash}`. */
export const showOneKey: ManagementHandler = async ({ params: { hash = '' } }, actor, services) => ({
  data: showKey(await readKey(actor, hash, services)),
});

/** `PATCH /keys/{hash}`. */
export const changeKey: ManagementHandler = async (call, actor, services) => {
  const input = {
    hash: call.params.hash ?? '',
    // Read once the key was found: a hash nobody has is reported before a wrong body.
    get change() {
      return readKeyChange(call.body);
    },
    get force() {
      return queryFlag(call, 'force') ?? false;
    },
  };
  return { data: showKey(await change(actor, input, services)) };
};

/** `DELETE /keys/{hash}`: for good. */
export const deleteKey: ManagementHandler = async ({ params: { hash = '' } }, actor, services) => {
  await remove(actor, hash, services);
  return { deleted: true };
};
