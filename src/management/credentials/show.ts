import { permits } from '../../core/roles.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import { unit, withUnit } from '../../schema/units.ts';
import {
  flag,
  integer,
  list,
  marked,
  named,
  number,
  orNull,
  type TSchema,
  Type,
  text,
} from '../../util/json-schema.ts';
import type { KeyActor } from '../actor.ts';
import { answerOf, closed, nano, pageOf } from '../parts.ts';

/** A provider credential without its secret. */
export const CredentialSchema = named(
  'ProviderCredential',
  Type.Object({
    id: text(),
    workspace_id: orNull(text()),
    provider: text(),
    name: orNull(text()),
    label: text({ description: 'A part of the secret; empty for a role that may only read credentials' }),
    disabled: flag(),
    is_byok_only: flag(),
    is_fallback: flag(),
    is_required: flag(),
    declared_zdr: orNull(flag()),
    declared_region: orNull(text()),
    allowed_models: orNull(list(text())),
    allowed_api_key_hashes: orNull(list(text())),
    allowed_user_ids: orNull(list(text())),
    sort_order: integer(),
    created_at: text(),
  }),
);

/** A page of credentials. */
export const CredentialList = pageOf('ProviderCredentialList', CredentialSchema);

/** One credential. */
export const CredentialAnswer = answerOf('ProviderCredentialAnswer', CredentialSchema);

/** What calls with own credentials cost an account. */
export const CredentialTerms = answerOf(
  'ProviderCredentialTerms',
  Type.Object({
    fee_rate: number({ description: 'The part of the list cost that is charged beyond the allowance' }),
    monthly_allowance_nano: nano,
  }),
);

const mostEntries = 100;
/** Characters of a secret: a file of a cloud account has some thousand. */
const longestSecret = 65_536;
const entriesExpected = 'an array of strings or null';

/** Says what is expected in words of its own. */
const expecting = <Schema extends TSchema>(expected: string, schema: Schema) =>
  marked(schema, { wording: { expected } });
const yesOrNo = Type.Optional(expecting('true or false', flag()));
const texts = Type.Optional(
  expecting(entriesExpected, orNull(list(text({ minLength: 1, maxLength: 255 }), { maxItems: mostEntries }))),
);
const hash = marked(text({ pattern: '^[a-f0-9]{64}$' }), {
  wording: { form: '64 lowercase hexadecimal digits' },
});

/** The id of a workspace, where a slug would not do. */
export const workspaceUuid = withUnit(
  unit('workspace id', 'the UUID of a workspace', readUuid),
  expecting('the UUID of a workspace', text()),
);

/** What the owner of a credential decides; all of it may be left out. */
const settings = {
  name: Type.Optional(expecting('a string or null', orNull(text({ maxLength: 255 })))),
  disabled: yesOrNo,
  is_byok_only: yesOrNo,
  is_fallback: yesOrNo,
  is_required: yesOrNo,
  declared_zdr: Type.Optional(expecting('true, false or null', orNull(flag()))),
  allowed_api_key_hashes: Type.Optional(
    marked(orNull(list(hash, { minItems: 1, maxItems: mostEntries })), {
      wording: { expected: entriesExpected, empty: 'must not be empty; null is no restriction' },
    }),
  ),
  allowed_models: texts,
  allowed_user_ids: texts,
};
const known = ['provider', 'workspace_id', 'key', ...Object.keys(settings)];

/** The body of `POST /byok`. */
export const CreateCredential = inOrder(
  'CreateProviderCredential',
  Type.Object(
    {
      provider: text(),
      key: text({ minLength: 1, maxLength: longestSecret }),
      workspace_id: Type.Optional(workspaceUuid),
      ...settings,
    },
    closed,
  ),
  known,
);

/** The body of `PATCH /byok/{id}`: absent is unchanged; null clears the name, `declared_zdr` and lists. */
export const UpdateCredential = inOrder(
  'UpdateProviderCredential',
  Type.Object(
    {
      key: Type.Optional(text({ minLength: 1, maxLength: longestSecret })),
      sort_order: Type.Optional(
        expecting('a whole number, 0 or more', integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
      ),
      ...settings,
      // What was read may be sent back whole: these two are ignored.
      provider: Type.Optional(text()),
      workspace_id: Type.Optional(text()),
    },
    closed,
  ),
  [...known, 'sort_order'],
);

/** The body of `POST /byok/{id}/test`. */
export const TestCredential = named(
  'TestProviderCredential',
  Type.Object(
    {
      model: Type.Optional(
        text({
          minLength: 1,
          description: 'The id of a model; by default the cheapest the credential is for',
        }),
      ),
      key_hash: Type.Optional(
        text({
          minLength: 1,
          description: 'The inference key to run as; by default the newest that may use it',
        }),
      ),
    },
    closed,
  ),
);

/** What came of a test call. */
export const CredentialVerdict = answerOf(
  'ProviderCredentialVerdict',
  Type.Object({
    ok: flag({ description: 'Whether the provider answered' }),
    latency_ms: integer(),
    error: orNull(
      Type.Object({
        row: text({ description: 'The row of the error table' }),
        type: text(),
        message: text(),
        provider_code: orNull(text()),
      }),
    ),
    cost_nano: nano,
    byok_cost_nano: orNull(nano),
    model: text(),
    key_hash: text(),
    generation_id: text({ description: 'The record of the call' }),
  }),
);

/**
 * A body whose members the operation checks, one after the other in the order of the rules
 * (docs/spec/credentials.md#creating-a-credential), some of which need the books. No message repeats a value: somebody
 * may have put the credential in the wrong place.
 */
function inOrder<Schema extends TSchema>(name: string, schema: Schema, allowed: readonly string[]): Schema {
  const members = Object.entries(schema.properties ?? {}).map(
    ([key, member]) => [key, marked(member, { handled: true })] as const,
  );
  return marked(
    { ...schema, properties: Object.fromEntries(members) },
    {
      name,
      secret: true,
      wording: { expected: 'an object', unknown: `unknown field, allowed are ${allowed.join(', ')}` },
    },
  );
}

function readUuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text;
  throw new RangeError('expected the UUID of a workspace');
}

/** A provider credential as the management interface shows it (docs/spec/credentials.md#fields); never its secret. */
export function showCredential(credential: ProviderCredential) {
  return {
    id: credential.id,
    workspace_id: credential.workspaceId,
    provider: credential.provider,
    name: credential.name,
    label: credential.label,
    disabled: credential.disabled,
    is_byok_only: credential.isByokOnly,
    is_fallback: credential.isFallback,
    is_required: credential.isRequired,
    declared_zdr: credential.declaredZdr,
    // Requests are not bound to regions here.
    declared_region: null,
    allowed_models: credential.allowedModels,
    allowed_api_key_hashes: credential.allowedKeyHashes,
    allowed_user_ids: credential.allowedUserIds,
    sort_order: credential.sortOrder,
    created_at: new Date(credential.createdAt).toISOString(),
  };
}

/** The same for one who asks: the label, which shows a part of the secret, is empty for those who may only read. */
export function showCredentialTo({ role }: Pick<KeyActor, 'role'>, credential: ProviderCredential) {
  const shown = showCredential(credential);
  const mayChange = role !== undefined && permits(role, 'credentials', true);
  return mayChange ? shown : { ...shown, label: '' };
}

/** A credential of any account as the command line shows it in JSON, with whose it is. Never its secret. */
export function showCredentialOfAny(credential: ProviderCredential) {
  const { id, ...shown } = showCredential(credential);
  return { id, account_id: credential.accountId, ...shown };
}
