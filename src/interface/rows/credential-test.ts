import type { TurnEnd } from '../../core/answer-part.ts';
import type { Model } from '../../core/catalogue.ts';
import { HeadgateError, publicMessage } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import { type NanoUsd, nanoFromInteger, zeroUsd } from '../../core/money.ts';
import { shortQuestion } from '../../core/short-question.ts';
import { headerText } from '../../edge/header-text.ts';
import { apiBase } from '../../edge/paths.ts';
import type { RouteCall } from '../../edge/route.ts';
import { RunningCall } from '../../edge/running-call.ts';
import { chooseTestTarget } from '../../operations/credentials/choose-test-target.ts';
import { type TrialCaller, tryCredential } from '../../operations/credentials/try-credential.ts';
import { RefusedCall } from '../../pipeline/refused-call.ts';
import { run } from '../../pipeline/run.ts';
import { ClientGone, type InferenceCall } from '../../pipeline/services.ts';
import { servedWith } from '../../pipeline/usable-models.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { ApiKey } from '../../ports/keys.ts';
import type { Caller } from '../../settlement/caller.ts';
import { cutText } from '../../util/cut-text.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { type CheckedCall, jsonRow, type Row } from '../row.ts';
import { CredentialVerdict, TestCredential } from '../schemas/credentials.ts';
import { one } from './management-parts.ts';

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
interface CredentialAnswer {
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
): Promise<CredentialAnswer> {
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
    ...one,
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
  { generationId, milliseconds, error, charge, listCost }: CredentialAnswer,
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
