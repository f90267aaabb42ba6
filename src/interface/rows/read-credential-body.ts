import type { CredentialInput } from '../../operations/credentials/create-credential.ts';
import type { CredentialChange } from '../../ports/credentials.ts';
import { malformed } from '../../schema/fault.ts';
import { createMemberReader } from '../../schema/reader.ts';
import type { JsonObject } from '../../util/json.ts';
import { CreateCredential, UpdateCredential } from '../schemas/credentials.ts';

const readCreated = createMemberReader(CreateCredential);
const readUpdated = createMemberReader(UpdateCredential);

/** A new credential, each member checked when the operation asks for it: of several faults the first rule answers. */
export function readNewCredential(body: JsonObject): CredentialInput {
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
export function readCredentialChange(body: JsonObject) {
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
