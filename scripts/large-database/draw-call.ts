import { nanoFromInteger, zeroUsd } from '../../src/core/money.ts';
import type { Generation } from '../../src/ports/generations.ts';
import { accountCount, keyCount } from './call-statement.ts';
import { accountId, keyHash } from './load.ts';

const endpointCount = 48;
const endpointsOfKey = 5;
const makers = ['acme', 'orion', 'borealis', 'zenith'] as const;

/**
 * A call as `drawCalls` makes them by SQL: keys with low numbers make most, one in a hundred reached no provider, one key in
 * forty has credentials of its own.
 * @param number Of the call, for its id.
 */
export function drawCall(number: number, settledAt: number, random: () => number): Generation {
  const [a, b, c, d] = [random(), random(), random(), random()];
  const key = Math.floor(keyCount * a ** 3);
  const account = key % accountCount;
  const endpoint = ((key + 1) * 7 + Math.floor(endpointsOfKey * b ** 2)) % endpointCount;
  const isFree = endpoint % 16 === 15;
  const model = `${makers[endpoint % 4]}/model-${endpoint}${isFree ? ':free' : ''}`;
  const provider = `provider-${endpoint % 12}`;
  const tag = `${provider}${endpoint % 3 === 0 ? '/fp8' : ''}`;
  const input = 200 + Math.floor(6000 * c ** 3);
  const cached = endpoint % 2 === 1 ? Math.floor(input * d) : 0;
  const output = 20 + Math.floor(900 * d ** 2);
  const latency = 150 + Math.floor(4000 * c * d);
  const price = isFree ? 0 : input * (50 + 61 * endpoint) + output * (200 + 307 * endpoint);
  const isByok = (key + 1) % 40 === 0;
  const createdAt = settledAt - latency;
  const id = `gen-${Math.floor(createdAt / 1000)}-${number.toString(36).padStart(22, '0')}`;
  const asked = {
    id,
    requestId: id,
    accountId: accountId(account),
    keyHash: keyHash(key),
    workspaceId: key % 2 === 0 ? null : `00000000-0000-4000-8000-${String(account).padStart(12, '0')}`,
    createdAt,
    settledAt,
    requestedModel: model,
    isByok,
    streamed: true,
    cancelled: false,
    usageEstimated: false,
    insured: false,
    attempts: [],
  };
  if ((a * 100) % 1 < 0.01) {
    return { ...asked, errorType: 'provider_unavailable', usage: {}, cost: zeroUsd, listCost: zeroUsd };
  }
  const listCost = nanoFromInteger(price);
  const usage = { uncachedInput: input - cached, cacheRead: cached, output };
  const cost = isByok ? zeroUsd : listCost;
  return { ...asked, model, provider, endpointTag: tag, latency, usage, cost, listCost };
}
