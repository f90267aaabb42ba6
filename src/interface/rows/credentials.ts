import { apiBase } from '../../edge/paths.ts';
import { changeCredential } from '../../operations/credentials/change-credential.ts';
import { type CredentialInput, createCredential } from '../../operations/credentials/create-credential.ts';
import { deleteCredential } from '../../operations/credentials/delete-credential.ts';
import { findCredential } from '../../operations/credentials/find-credential.ts';
import { listCredentials } from '../../operations/credentials/list-credentials.ts';
import { showCredential } from '../../operations/credentials/show-credential.ts';
import type { CredentialChange } from '../../ports/credentials.ts';
import { malformed } from '../../schema/fault.ts';
import { createMemberReader } from '../../schema/reader.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { Type, text } from '../../util/json-schema.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  CreateCredential,
  CredentialAnswer,
  CredentialList,
  CredentialTerms,
  UpdateCredential,
  workspaceUuid,
} from '../schemas/credentials.ts';
import { Deleted } from '../schemas/parts.ts';
import { managed, one } from './management-parts.ts';
import { limit, offset } from './query-parts.ts';

const readCreated = createMemberReader(CreateCredential);
const readUpdated = createMemberReader(UpdateCredential);

/** A new credential, each member checked when the operation asks for it: of several faults the first rule answers. */
function readNewCredential(body: JsonObject): CredentialInput {
  if (body.provider === undefined) throw malformed('provider', 'is required: the slug of a provider');
  return {
    provider: textOf(body.provider),
    secret: textOf(body.key),
    get name() {
      return readCreated(body, 'name') ?? null;
    },
    get workspace() {
      return readCreated(body, 'workspace_id');
    },
    get allowedKeyHashes() {
      return withoutRepeats(readCreated(body, 'allowed_api_key_hashes')) ?? null;
    },
    get settings() {
      return {
        allowedModels: withoutRepeats(readCreated(body, 'allowed_models')) ?? null,
        allowedUserIds: withoutRepeats(readCreated(body, 'allowed_user_ids')) ?? null,
        disabled: readCreated(body, 'disabled') ?? false,
        isByokOnly: readCreated(body, 'is_byok_only') ?? false,
        isFallback: readCreated(body, 'is_fallback') ?? false,
        isRequired: readCreated(body, 'is_required') ?? false,
        declaredZdr: readCreated(body, 'declared_zdr') ?? null,
      };
    },
  };
}

/** What a body changes; `change` is checked when the operation asks for it. */
function readCredentialChange(body: JsonObject) {
  return {
    secret: body.key === undefined ? undefined : textOf(body.key),
    get change(): Omit<CredentialChange, 'label'> {
      return {
        name: readUpdated(body, 'name'),
        allowedKeyHashes: withoutRepeats(readUpdated(body, 'allowed_api_key_hashes')),
        allowedModels: withoutRepeats(readUpdated(body, 'allowed_models')),
        allowedUserIds: withoutRepeats(readUpdated(body, 'allowed_user_ids')),
        disabled: readUpdated(body, 'disabled'),
        isByokOnly: readUpdated(body, 'is_byok_only'),
        isFallback: readUpdated(body, 'is_fallback'),
        isRequired: readUpdated(body, 'is_required'),
        declaredZdr: readUpdated(body, 'declared_zdr'),
        sortOrder: readUpdated(body, 'sort_order'),
      };
    },
  };
}

/** The operation says what is wrong with a text that is empty. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function withoutRepeats<List extends readonly string[] | null | undefined>(list: List) {
  return list == null ? list : ([...new Set(list)] as readonly string[]);
}

const path = `${apiBase}/byok`;
const oneCredential = { ...one, path: `${path}/{id}` } as const;

/** Basis points of a whole. */
const wholeBasis = 10_000;

/** An account's own provider credentials (docs/spec/credentials.md). */
export const credentialRows: readonly Row[] = [
  jsonRow({
    ...managed,
    method: 'GET',
    path,
    id: 'listProviderCredentials',
    summary: "The account's own provider credentials",
    query: Type.Object({
      offset,
      limit,
      workspace_id: Type.Optional(workspaceUuid),
      provider: Type.Optional(text()),
    }),
    answer: CredentialList,
    handle: async ({ actor, query }, services) => {
      const { workspace_id: workspace, provider, offset, limit } = query;
      const page = { workspace, provider, offset, limit };
      const { credentials, total } = await listCredentials(actor, page, services);
      return { data: credentials.map(showCredential), total_count: total };
    },
  }),
  jsonRow({
    ...managed,
    method: 'POST',
    path,
    id: 'createProviderCredential',
    summary: 'Create a provider credential',
    needsTypedKey: true,
    body: CreateCredential,
    // 200 by default, unlike other creations: the interface says so (docs/spec/credentials.md#creating-a-credential).
    status: 200,
    statusBy: ({ compat }) => compat.byokCreatedStatus,
    answer: CredentialAnswer,
    otherwise: {
      201: { description: 'The same, with `compat.byok_created_status: 201`.', answer: CredentialAnswer },
    },
    handle: async ({ actor, body }, services) => ({
      data: showCredential(await createCredential(actor, readNewCredential(body), services)),
    }),
  }),
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${path}/terms`,
    id: 'getProviderCredentialTerms',
    summary: 'What the account pays for calls that own credentials serve',
    answer: CredentialTerms,
    handle: ({ caller }, services) => {
      const { feeBasisPoints, monthlyAllowance } = services.byokTerms(caller.account);
      return {
        data: { fee_rate: feeBasisPoints / wholeBasis, monthly_allowance_nano: String(monthlyAllowance) },
      };
    },
  }),
  jsonRow({
    ...oneCredential,
    method: 'GET',
    id: 'getProviderCredential',
    summary: 'One provider credential',
    answer: CredentialAnswer,
    handle: async ({ actor, params: { id = '' } }, services) => ({
      data: showCredential(await findCredential(actor, id, services)),
    }),
  }),
  jsonRow({
    ...oneCredential,
    method: 'PATCH',
    id: 'updateProviderCredential',
    summary: 'Change a provider credential',
    needsTypedKey: (body) => isObject(body) && body.key !== undefined,
    body: UpdateCredential,
    answer: CredentialAnswer,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { id, ...readCredentialChange(body) };
      return { data: showCredential(await changeCredential(actor, input, services)) };
    },
  }),
  jsonRow({
    ...oneCredential,
    method: 'DELETE',
    id: 'deleteProviderCredential',
    summary: 'Delete a provider credential',
    answer: Deleted,
    handle: async ({ actor, params: { id = '' } }, services) => {
      await deleteCredential(actor, id, services);
      return { deleted: true };
    },
  }),
];
