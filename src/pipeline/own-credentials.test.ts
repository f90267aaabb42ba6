import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CredentialCase,
  credentialCases,
  credentialModels,
} from '../../test/routing/credential-cases.ts';
import { testCaller } from '../../test/support/caller.ts';
import { plainByokTerms } from '../../test/support/credentials.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { routingServices } from '../../test/support/routing-services.ts';
import { type Script, ScriptedUpstream } from '../../test/support/scripted-upstream.ts';
import { spendingServices } from '../../test/support/spending-services.ts';
import { HeadgateError } from '../core/errors.ts';
import { parseUsd } from '../core/money.ts';
import { roomOf } from '../ports/answer-room.ts';
import type { CredentialSecrets } from '../ports/credentials.ts';
import type { Generation } from '../ports/generations.ts';
import type { Ledger } from '../ports/ledger.ts';
import { Secret } from '../util/secret.ts';
import { RefusedCall } from './refused-call.ts';
import { RequestEvents } from './request-events.ts';
import { run } from './run.ts';

const failing: Script = [new HeadgateError('provider_failed', 'Down.')];
const good: Script = [[{ kind: 'text', block: 0, text: 'Hi' }], [{ kind: 'finish', reason: 'stop' }]];

/** Opens every credential; the secret names the credential that was opened. */
const secrets: CredentialSecrets = { open: async ({ id }) => new Secret(`secret of ${id}`) };

interface Played {
  /** What each call of the upstream carried, as the cases write it. */
  readonly attempts: readonly string[];
  readonly refusal: HeadgateError | undefined;
  readonly booked: readonly Generation[];
}

async function play(
  { credentials, model = 'acme/inside', provider }: Omit<CredentialCase, 'name' | 'attempts'>,
  script: Script,
  change: Parameters<typeof testCaller>[1] = {},
): Promise<Played> {
  const upstream = new ScriptedUpstream({ a: script, b: script, c: script });
  const booked: Generation[] = [];
  const plain = testCaller(parseUsd(1000), change);
  const caller = {
    ...plain,
    credentials: credentials.map((credential) => ({ ...credential, accountId: plain.account.id })),
  };
  const call = {
    request: parse({ model, provider }),
    caller,
    generationId: 'gen-1',
    attribution: {},
    receivedAt: Date.now(),
    signal: new AbortController().signal,
    room: roomOf(32 * 1024 * 1024),
  };
  const services = {
    ...routingServices(),
    ...spendingServices(),
    ledger: {
      settle: async (generation: Generation) => {
        booked.push(generation);
        return generation.cost;
      },
    } as Partial<Ledger> as Ledger,
    byokTerms: () => plainByokTerms,
    charges: { begin: () => () => {} },
    events: new RequestEvents([]),
    catalogue: () => ({
      models: new Map(credentialModels.map((one) => [one.id, one])),
      providers: new Map(),
    }),
    upstreams: new Map([['scripted', upstream]]),
    secrets,
  };
  let refusal: HeadgateError | undefined;
  try {
    const answer = run(call, services);
    while (!(await answer.next()).done);
  } catch (thrown) {
    assert.ok(thrown instanceof RefusedCall, String(thrown));
    refusal = thrown.error;
  }
  const attempts = upstream.calls.map(({ endpoint }) => {
    const id = endpoint.provider.apiKey?.reveal().replace('secret of ', '');
    return id === undefined ? endpoint.tag : `${endpoint.tag}:${id}`;
  });
  return { attempts, refusal, booked };
}

for (const situation of credentialCases) {
  test(`attempts: ${situation.name}`, async () => {
    const { attempts, refusal } = await play(situation, failing);
    assert.deepEqual(attempts, situation.attempts, 'all fail, so all are tried');
    assert.ok(refusal);
  });
}

test('the first that answers ends it', async () => {
  const [first] = credentialCases;
  assert.ok(first);
  const { attempts, refusal, booked } = await play(first, good);
  assert.equal(refusal, undefined);
  assert.deepEqual(attempts, ['a:k']);
  assert.deepEqual(
    booked[0]?.attempts.map(({ provider, isByok }) => [provider, isByok]),
    [['a', true]],
  );
});

test('without credits, or with a limit used up, own credentials still serve and shared ones do not', async () => {
  const [first] = credentialCases;
  assert.ok(first);
  const limit = { key: { limit: parseUsd(0) } };
  assert.deepEqual((await play(first, failing, limit)).attempts, ['a:k']);
  const counted = await play(first, good, { key: { limit: parseUsd(0), includeByokInLimit: true } });
  assert.deepEqual(counted.attempts, []);
  assert.equal(counted.refusal?.status, 402);
  const none = await play({ ...first, model: 'acme/outside' }, good, limit);
  assert.equal(none.refusal?.metadata.limit_source, 'service_key_limit');
  const broke = { funds: { balance: parseUsd(0) } };
  assert.deepEqual((await play(first, failing, broke)).attempts, ['a:k']);
  assert.equal((await play({ ...first, model: 'acme/outside' }, good, broke)).refusal?.status, 402);
});
