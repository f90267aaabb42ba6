import { hashKey, keyLabel } from '../../core/api-key.ts';
import { type ApiKey, plainKeySettings } from '../../ports/keys.ts';

/** The record of a raw key. Without limits; `members` replace the defaults. */
export function newKey(
  raw: string,
  members: Pick<ApiKey, 'accountId' | 'kind' | 'name' | 'workspaceId' | 'createdAt'> & Partial<ApiKey>,
): ApiKey {
  return {
    ...plainKeySettings,
    hash: hashKey(raw),
    label: keyLabel(raw),
    disabled: false,
    limit: null,
    limitReset: null,
    includeByokInLimit: false,
    expiresAt: null,
    creatorUserId: null,
    externalUser: null,
    updatedAt: null,
    ...members,
  };
}
