import type { TurnEnd } from '../../core/answer-part.ts';
import type { Model } from '../../core/catalogue.ts';
import { HeadgateError, publicMessage } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import { type NanoUsd, nanoFromInteger, zeroUsd } from '../../core/money.ts';
import { shortQuestion } from '../../core/short-question.ts';
import { apiBase, type RouteCall } from '../../edge/route.ts';
import { RunningCall } from '../../edge/running-call.ts';
import { headerText } from '../../http/request.ts';
import { RefusedCall } from '../../pipeline/refused-call.ts';
import { run } from '../../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../../pipeline/services.ts';
import { servedWith } from '../../pipeline/usable-models.ts';
import type { CredentialChange, ProviderCredential } from '../../ports/credentials.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import { createMemberReader } from '../../schema/reader.ts';
import type { Caller } from '../../settlement/caller.ts';
import { cutText } from '../../util/growing-text.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { Deleted, limit, managed, offset, one } from '../parts.ts';
import { type CheckedCall, jsonRow, type Row } from '../row.ts';
import {
  type CredentialInput,
  changeCredential,
  createCredential,
  deleteCredential,
  findCredential,
  listCredentials,
} from './credentials.ts';
import {
  CreateCredential,
  CredentialAnswer,
  CredentialList,
  CredentialTerms,
  CredentialVerdict,
  showCredential,
  showCredentialTo,
  TestCredential,
  UpdateCredential,
  workspaceUuid,
} from './show.ts';
import { chooseTestTarget, type TrialCaller, tryCredential } from './try-credential.ts';

/** Milliseconds that a test call may take. */
const longestWait = 15_000;

/** Who asks what, with which credential. */
interface CredentialQuestion {
  readonly credential: ProviderCredential;
  readonly model: Model;
  /** The key that the call runs as. */
  readonly caller: Caller;
}

/** What came of a test call. */
interface TestedCall {
  readonly generationId: string;
  readonly milliseconds: number;
  /** Why it failed; undefined when the provider answered. */
  readonly error: HeadgateError | undefined;
  readonly charge: NanoUsd;
  /** What the provider charges at list prices; undefined where no price is known. */
  readonly listCost: NanoUsd | undefined;
}

/**
 * Makes a short call like any other of the key, but with one credential and no other, and no shared capacity: admitted,
 * recorded and charged by the same pipeline.
 * @throws RefusedCall when it was turned away before the provider was asked.
 */
async function askWithCredential(
  { credential, model, caller }: CredentialQuestion,
  { id, headers, reply }: Pick<RouteCall, 'id' | 'headers' | 'reply'>,
  services: InterfaceServices,
): Promise<TestedCall> {
  const facts = {
    request: requestFor(model, credential, services.pseudonym(caller.account.id, undefined)),
    caller,
    generationId: id,
    attribution: {
      appTitle: 'Credential test',
      userAgent: cutText(headerText({ headers }, 'user-agent') ?? ''),
    },
    receivedAt: services.clock.now(),
    onlyCredential: credential,
  };
  const running = new RunningCall(services, { streamed: false, facts });
  const late = setTimeout(() => running.giveUp(tooLate()), longestWait);
  reply.raw.once('close', () => running.giveUp(new ClientGone('The client closed the connection.')));
  const began = performance.now();
  try {
    const { error, bill } = await endOf(running.within(facts), services);
    return {
      generationId: id,
      milliseconds: Math.round(performance.now() - began),
      error,
      charge: nanoFromInteger(running.progress.cost),
      listCost: bill === undefined ? zeroUsd : bill.unpriced ? undefined : bill.cost.total,
    };
  } finally {
    clearTimeout(late);
    running.over();
  }
}

/**
 * Reads an answer to its end.
 * @throws RefusedCall unless it is the provider that failed.
 */
async function endOf(call: InferenceCall, services: InterfaceServices): Promise<TurnEnd> {
  let ended: TurnEnd = { error: new HeadgateError('deadline_exceeded', 'The test was stopped.') };
  try {
    for await (const parts of run(call, services)) {
      const last = parts.at(-1);
      if (last?.kind === 'ended') ended = last;
    }
  } catch (thrown) {
    ended = { error: RefusedCall.of(thrown).error };
  }
  if (ended.error !== undefined && !isOfProvider(ended.error)) throw new RefusedCall(ended.error);
  return ended;
}

/** Whether an error says something about the provider and the credential, and not about the caller. */
function isOfProvider({ code }: HeadgateError): boolean {
  return code === 'deadline_exceeded' || code.startsWith('upstream_') || code.startsWith('provider_');
}

function requestFor(model: Model, { provider }: ProviderCredential, endUser: string): InferenceRequest {
  return {
    canonical: { ...shortQuestion, endUser },
    models: [model.id],
    provider: { only: [provider], allowFallbacks: false },
    stream: false,
    wantsMetadata: false,
    strict: false,
    echoUpstreamBody: false,
    parameters: [],
  };
}

function tooLate(): HeadgateError {
  return new HeadgateError(
    'deadline_exceeded',
    `The provider did not answer within ${longestWait / 1000} seconds.`,
  );
}

/** Trying credentials (docs/spec/credentials.md#testing). */
export const credentialTestRows: readonly Row[] = [
  jsonRow({
    ...one('credentials'),
    method: 'POST',
    path: `${apiBase}/byok/{id}/test`,
    id: 'testProviderCredential',
    summary: 'Make one short call with a credential and no other; it is charged like any call',
    body: TestCredential,
    answer: CredentialVerdict,
    failures: 'any',
    handle: async (call, services) => {
      const { actor, params, body } = call;
      const over = services.runningTests.begin(actor.account.id);
      try {
        const trial = { id: params.id ?? '', keyHash: body.key_hash };
        return { data: await tryCredential(actor, trial, callerOf(call, body.model, services), services) };
      } finally {
        over();
      }
    },
  }),
];

/** What makes the call of a trial. */
function callerOf(
  call: Pick<CheckedCall<'management', unknown, unknown>, 'actor' | 'id' | 'headers' | 'reply'>,
  wanted: string | undefined,
  services: InterfaceServices,
): TrialCaller<ReturnType<typeof show>> {
  return {
    choose: async (credential, key) => {
      const isFor = servedWith(credential, await callerWith(key, services), services);
      return chooseTestTarget(call.actor, credential, wanted, services.catalogue(), isFor).model;
    },
    ask: async (credential, key, model) => {
      const caller = await callerWith(key, services);
      return show(await askWithCredential({ credential, model, caller }, call, services), model.id, key);
    },
  };
}

/** @throws HeadgateError `not_found` for a key that was deleted just now. */
async function callerWith({ hash }: ApiKey, { callers }: InterfaceServices): Promise<Caller> {
  const caller = await callers.find(hash);
  if (caller === undefined) throw new HeadgateError('not_found', 'There is no such key in this account.');
  return caller;
}

function show(
  { generationId, milliseconds, error, charge, listCost }: TestedCall,
  model: string,
  key: ApiKey,
) {
  return {
    ok: error === undefined,
    latency_ms: milliseconds,
    error:
      error === undefined
        ? null
        : {
            row: error.code,
            type: error.type,
            message: publicMessage(error),
            provider_code: error.metadata.provider_code ?? null,
          },
    cost_nano: String(charge),
    byok_cost_nano: listCost === undefined ? null : String(listCost),
    model,
    key_hash: key.hash,
    generation_id: generationId,
  };
}

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
const oneCredential = { ...one('credentials'), path: `${path}/{id}` } as const;

/** Basis points of a whole. */
const wholeBasis = 10_000;

/** An account's own provider credentials (docs/spec/credentials.md). */
export const credentialRows: readonly Row[] = [
  jsonRow({
    ...managed('credentials'),
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
      return { data: credentials.map((one) => showCredentialTo(actor, one)), total_count: total };
    },
  }),
  jsonRow({
    ...managed('credentials'),
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
    ...managed('credentials'),
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
      data: showCredentialTo(actor, await findCredential(actor, id, services)),
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
