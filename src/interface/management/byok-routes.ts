import { accountPage, queryLimit, queryOffset, queryText } from '../../edge/query.ts';
import { changeCredential as change } from '../../operations/credentials/change-credential.ts';
import { createCredential as create } from '../../operations/credentials/create-credential.ts';
import { deleteCredential as remove } from '../../operations/credentials/delete-credential.ts';
import { findCredential } from '../../operations/credentials/find-credential.ts';
import { listCredentials as list } from '../../operations/credentials/list-credentials.ts';
import { showCredential } from '../../operations/credentials/show-credential.ts';
import {
  readByokBody,
  readCredentialChange,
  readDeclaredZdr,
  readFlag,
  readHashes,
  readName,
  readProvider,
  readSecret,
  readTexts,
  readWorkspaceId,
} from './byok-body.ts';
import type { ManagementHandler } from './management-handler.ts';

/** `GET /byok`: the credentials of a workspace, and those of the whole account, by provider and place. */
export const listCredentials: ManagementHandler = async (call, actor, services) => {
  const page = {
    offset: queryOffset(call),
    limit: queryLimit(call, accountPage),
    provider: queryText(call, 'provider'),
    get workspace() {
      return readWorkspaceId({ workspace_id: queryText(call, 'workspace_id') });
    },
  };
  const { credentials, total } = await list(actor, page, services);
  return { data: credentials.map(showCredential), total_count: total };
};

/** `POST /byok`: stores a credential; nothing when any rule of accounts-and-limits 6.1 fails. */
export const createCredential: ManagementHandler = async (call, actor, services) => {
  const body = readByokBody(call.body, 'create');
  // Read one after the other as the operation asks for them: of several faults the first rule answers.
  const input = {
    provider: readProvider(body),
    get secret() {
      return readSecret(body);
    },
    get name() {
      return readName(body);
    },
    get workspace() {
      return readWorkspaceId(body);
    },
    get allowedKeyHashes() {
      return readHashes(body);
    },
    get settings() {
      return {
        allowedModels: readTexts(body, 'allowed_models'),
        allowedUserIds: readTexts(body, 'allowed_user_ids'),
        disabled: readFlag(body, 'disabled'),
        isByokOnly: readFlag(body, 'is_byok_only'),
        isFallback: readFlag(body, 'is_fallback'),
        isRequired: readFlag(body, 'is_required'),
        declaredZdr: readDeclaredZdr(body),
      };
    },
  };
  return { data: showCredential(await create(actor, input, services)) };
};

/** `GET /byok/{id}`. */
export const showOneCredential: ManagementHandler = async ({ params: { id = '' } }, actor, services) => ({
  data: showCredential(await findCredential(actor, id, services)),
});

/** `PATCH /byok/{id}`: a new `key` takes the place of the old one and renews the label. */
export const changeCredential: ManagementHandler = async (call, actor, services) => {
  const input = {
    id: call.params.id ?? '',
    // Read once the credential was found: an id nobody has is reported before a wrong body.
    get secret() {
      const body = readByokBody(call.body, 'change');
      return body.key === undefined ? undefined : readSecret(body);
    },
    get change() {
      return readCredentialChange(readByokBody(call.body, 'change'));
    },
  };
  return { data: showCredential(await change(actor, input, services)) };
};

/** `DELETE /byok/{id}`: wipes the secret; requests that have it already finish. */
export const deleteCredential: ManagementHandler = async ({ params: { id = '' } }, actor, services) => {
  await remove(actor, id, services);
  return { deleted: true };
};
