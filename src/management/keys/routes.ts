import { hashKey } from '../../core/api-key.ts';
import { apiBase } from '../../edge/route.ts';
import { headerText } from '../../http/request.ts';
import type { KeyRates } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import { camelCased } from '../../util/camel-case.ts';
import { isoTime } from '../../util/iso-time.ts';
import {
  choice,
  flag,
  integer,
  list,
  named,
  orNull,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import { SpendingLimit } from '../budgets/show.ts';
import { Deleted, managed, offset, one, queryFlag } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { changeKey, createKey, deleteKey, listKeys, readKey, rotateKey } from './keys.ts';
import { showWhatApplies, whatApplies } from './rules.ts';
import {
  CreatedKey,
  CreateKey,
  KeyAnswer,
  KeyList,
  RotatedKey,
  RotateKey,
  RotationHeaders,
  showKey,
  UpdateKey,
} from './show.ts';

const names = orNull(list(text()));
const plugins = list(Type.Object({ id: text(), enforced: flag() }));
const amount = orNull(integer());

const AppliedGuardrail = named(
  'AppliedGuardrail',
  Type.Object({
    id: text(),
    name: text(),
    scope: choice('account', 'workspace', 'member', 'api-key'),
    mode: choice('enforce', 'observe'),
    source: choice('file', 'stored'),
    allowed_models: names,
    ignored_models: names,
    allowed_providers: names,
    ignored_providers: names,
    zero_retention: list(text({ description: 'A group of models that may only go where nothing is kept' })),
    forbidden_practices: list(text()),
    filters: list(Type.Object({ name: text(), action: choice('flag', 'redact', 'block') })),
  }),
);

/** All that limits or changes the requests of a key, each with where it comes from. */
const KeyRules = named(
  'KeyRules',
  Type.Object({
    data: Type.Object({
      limits: list(SpendingLimit),
      guardrails: list(AppliedGuardrail),
      rates: list(
        Type.Object({
          scope: choice('key', 'account', 'service'),
          requests_per_minute: amount,
          tokens_per_minute: amount,
          parallel: amount,
        }),
      ),
      workspace: orNull(
        Type.Object({
          id: text(),
          name: text(),
          default_text_model: orNull(text()),
          default_provider_sort: orNull(text()),
          disabled_server_tools: list(text()),
          plugins,
        }),
      ),
      account: Type.Object({ zero_retention: flag(), plugins }),
    }),
  }),
);

const path = `${apiBase}/keys`;
const oneKey = { ...one('keys'), path: `${path}/{hash}` } as const;
const fewestDistinct = 10;

/** Inference keys of an account (docs/spec/accounts.md#managing-keys). */
export const keyRows: readonly Row[] = [
  jsonRow({
    ...managed('keys'),
    method: 'GET',
    path,
    id: 'listKeys',
    summary: 'The inference keys, newest first, a hundred at a time',
    query: Type.Object({
      offset,
      workspace_id: Type.Optional(text()),
      include_disabled: Type.Optional(queryFlag()),
    }),
    answer: KeyList,
    handle: async ({ actor, query }, services) => {
      const page = {
        workspace: query.workspace_id,
        includeDisabled: query.include_disabled ?? false,
        offset: query.offset,
      };
      return { data: (await listKeys(actor, page, services)).map(showKey) };
    },
  }),
  jsonRow({
    ...managed('keys'),
    method: 'POST',
    path,
    id: 'createKey',
    summary: 'Create a key',
    body: CreateKey,
    status: 201,
    answer: CreatedKey,
    handle: async ({ actor, body }, services) => {
      const input = readNewKey(body, services.clock.now());
      const created = await createKey(actor, input, services);
      return { data: showKey(created), key: created.raw };
    },
  }),
  jsonRow({
    ...oneKey,
    method: 'GET',
    id: 'getKey',
    summary: 'One key',
    answer: KeyAnswer,
    handle: async ({ actor, params: { hash = '' } }, services) => ({
      data: showKey(await readKey(actor, hash, services)),
    }),
  }),
  jsonRow({
    ...oneKey,
    path: `${path}/{hash}/rules`,
    method: 'GET',
    id: 'getKeyRules',
    summary: 'All that limits or changes the requests of a key, each with where it comes from',
    answer: KeyRules,
    handle: async ({ actor, params: { hash = '' } }, services) => {
      const { guardrails: file, limits } = services.config;
      const found = await whatApplies(actor, hash, { file, rates: limits.rates }, services);
      return { data: showWhatApplies(found) };
    },
  }),
  jsonRow({
    ...oneKey,
    method: 'PATCH',
    id: 'updateKey',
    summary: 'Change a key',
    body: UpdateKey,
    answer: KeyAnswer,
    query: Type.Object({
      force: Type.Optional(queryFlag('Needed to lock out the key that makes the change')),
    }),
    handle: async ({ actor, params: { hash = '' }, query, body }, services) => {
      const { rates, ...members } = body;
      const change = { ...camelCased(members), ...readRates(rates) };
      const input = { hash, change, force: query.force ?? false };
      return { data: showKey(await changeKey(actor, input, services)) };
    },
  }),
  jsonRow({
    ...oneKey,
    path: `${path}/{hash}/rotate`,
    method: 'POST',
    id: 'rotateKey',
    summary: 'Give a key a new secret; all else of it stays',
    headers: RotationHeaders,
    body: RotateKey,
    status: 201,
    answer: RotatedKey,
    failures: ['not_found', 'unprocessable'],
    handle: async ({ actor, params: { hash = '' }, body: { grace }, headers }, services) => {
      const idempotencyKey = readIdempotencyKey({ headers });
      const rotated = await rotateKey(
        actor,
        {
          hash,
          ...(grace !== undefined && { grace }),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
        services,
      );
      const { label, endsAt } = rotated.replaces;
      return { data: showKey(rotated), key: rotated.raw, replaces: { label, ends_at: isoTime(endsAt) } };
    },
  }),
  jsonRow({
    ...oneKey,
    method: 'DELETE',
    id: 'deleteKey',
    summary: 'Delete a key',
    answer: Deleted,
    handle: async ({ actor, params: { hash = '' } }, services) => {
      await deleteKey(actor, hash, services);
      return { deleted: true };
    },
  }),
];

function readIdempotencyKey(call: Parameters<typeof headerText>[0]): string | undefined {
  const given = headerText(call, 'idempotency-key');
  if (given === undefined || given.length <= 255) return given;
  throw malformed('Idempotency-Key', 'is longer than 255 characters');
}

/** @param now Unix milliseconds: a key that has expired already is refused. */
function readNewKey(body: Static<typeof CreateKey>, now: number) {
  const { expires_at: expiresAt = null, workspace_id: workspace, external, rates, ...members } = body;
  if (expiresAt !== null && expiresAt <= now) throw malformed('expires_at', 'lies in the past');
  return {
    ...camelCased(members),
    ...readRates(rates),
    kind: 'inference',
    includeByokInLimit: members.include_byok_in_limit ?? false,
    expiresAt,
    workspace: workspace ?? undefined,
    externalUser: external?.user ?? null,
    externalKeyHash: readExternalKey(external?.api_key ?? undefined),
  } as const;
}

/** Limits as the settings of a key: null clears both, what is absent stays. */
function readRates(rates: Static<typeof UpdateKey>['rates']): Partial<KeyRates> {
  if (rates === undefined) return {};
  if (rates === null) return { requestsPerMinute: null, tokensPerMinute: null };
  return camelCased(rates);
}

/** A partner's own key must be hard to guess; only its hash is kept (docs/spec/accounts.md#managing-keys). */
function readExternalKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (new Set(key).size < fewestDistinct) {
    throw malformed('external.api_key', 'is too easy to guess; use a random one');
  }
  return hashKey(key);
}
