import { HeadgateError, publicMessage } from '../../core/errors.ts';
import { apiBase } from '../../edge/paths.ts';
import { chooseTestTarget } from '../../operations/credentials/choose-test-target.ts';
import { type TrialCaller, tryCredential } from '../../operations/credentials/try-credential.ts';
import { servedWith } from '../../pipeline/usable-models.ts';
import type { ApiKey } from '../../ports/keys.ts';
import type { Caller } from '../../settlement/caller.ts';
import { askWithCredential, type CredentialAnswer } from '../ask-with-credential.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { type CheckedCall, jsonRow, type Row } from '../row.ts';
import { CredentialVerdict, TestCredential } from '../schemas/credentials.ts';
import { one } from './management-parts.ts';

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
