import type { Catalogue, Endpoint, Model } from '../../src/core/catalogue.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import { errorTable } from '../../src/core/errors.ts';
import { createGenerationId } from '../../src/core/ids.ts';
import { priceInEffect } from '../../src/core/price-in-effect.ts';
import { totalInput, type Usage } from '../../src/core/usage.ts';
import type { Generation, ProviderAttempt } from '../../src/ports/generations.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import { type Cost, costOfUsage, noCost } from '../../src/settlement/cost.ts';

/** Who calls, and how. */
export interface Caller {
  readonly key: ApiKey;
  /** The models it uses, most used first. */
  readonly models: readonly string[];
  readonly app: string;
  /** Tokens of a usual prompt. */
  readonly prompt: number;
  /** The part of the prompt that usually comes from a cache. */
  readonly cached: number;
}

export interface Draw {
  readonly catalogue: Catalogue;
  readonly random: () => number;
  /** Whether the incident is going on: one provider is overloaded. */
  readonly isTroubled: boolean;
  /** How the call ends in any case. */
  readonly end?: 'failed' | 'cancelled' | undefined;
}

/** Providers that fail during the incident, and how often. */
const troubled: Readonly<Record<string, number>> = { northgpu: 0.85, southgpu: 0.4 };

/** What may go wrong, and how often among failures. */
const faults: readonly (readonly [ErrorCode, number])[] = [
  ['upstream_rate_limit', 0.4],
  ['provider_overloaded', 0.25],
  ['provider_timeout', 0.15],
  ['provider_failed', 0.2],
];

/** Draws one call that ended at a moment: its attempts, its usage, its cost and its fate. */
export function drawCall(caller: Caller, settledAt: number, draw: Draw): Generation {
  const { random, catalogue, end } = draw;
  const slug = caller.models[Math.floor(caller.models.length * random() ** 2)] ?? '';
  const model = catalogue.models.get(slug);
  if (model === undefined) throw new Error(`the demonstration has no model ${slug}`);
  const { attempts, endpoint } = drawAttempts(model, draw);
  const usage = drawUsage(caller, random);
  const fate =
    endpoint === undefined ? 'failed' : end === 'cancelled' || random() < 0.012 ? 'cancelled' : 'ok';
  const generationTime = ((usage.output ?? 0) / (60 + 90 * random())) * 1000;
  const waited = attempts.reduce((sum, { latency }) => sum + latency, 0);
  const createdAt = Math.round(settledAt - waited - (endpoint === undefined ? 0 : generationTime));
  const billed = endpoint === undefined ? {} : fate === 'cancelled' ? shortened(usage) : usage;
  const cost = endpoint?.price
    ? costOfUsage(billed, priceInEffect(endpoint.price, totalInput(billed) ?? 0, createdAt))
    : noCost;
  const id = `${createGenerationId(createdAt).split('-').slice(0, 2).join('-')}-${tail(random)}`;
  const isOk = fate === 'ok';
  return {
    ...servedOf(model, attempts, endpoint, Math.round(generationTime)),
    ...costsOf(cost),
    id,
    requestId: id,
    accountId: caller.key.accountId,
    keyHash: caller.key.hash,
    workspaceId: caller.key.workspaceId,
    createdAt,
    settledAt,
    requestedModel: slug,
    finishReason: isOk ? 'stop' : undefined,
    nativeFinishReason: isOk ? 'stop' : undefined,
    appTitle: caller.app,
    userAgent: 'demo/1.0',
    sessionId: random() < 0.3 ? `session-${Math.floor(random() * 40)}` : undefined,
    isByok: false,
    streamed: random() < 0.8,
    cancelled: fate === 'cancelled',
    usage: billed,
    usageEstimated: fate === 'cancelled',
    insured: endpoint === undefined,
    attempts,
  };
}

/** Who answered, or why nobody did. */
function servedOf(
  model: Model,
  attempts: readonly ProviderAttempt[],
  endpoint: Endpoint | undefined,
  generationTime: number,
): Partial<Generation> {
  const last = attempts.at(-1);
  if (endpoint === undefined) {
    return last?.failure === undefined ? {} : { errorType: errorTable[last.failure.row].type };
  }
  const { provider, tag } = endpoint;
  return {
    model: model.id,
    provider: provider.slug,
    endpointTag: tag,
    latency: last?.latency,
    generationTime,
  };
}

function costsOf(cost: Cost): Pick<Generation, 'cost' | 'listCost' | 'cacheDiscount'> {
  const { total, cacheDiscount } = cost;
  return { cost: total, listCost: total, cacheDiscount: cost === noCost ? undefined : cacheDiscount };
}

function drawAttempts(model: Model, { random, isTroubled, end }: Draw) {
  const attempts: ProviderAttempt[] = [];
  const order = random() < 0.72 ? model.endpoints : model.endpoints.toReversed();
  for (const endpoint of order) {
    const risk = (isTroubled ? troubled[endpoint.provider.slug] : undefined) ?? riskOf(end);
    const fault = random() < risk ? drawFault(random, isTroubled) : undefined;
    attempts.push(drawAttempt(model, endpoint, fault, random));
    if (fault === undefined) return { attempts, endpoint };
  }
  return { attempts, endpoint: undefined };
}

function riskOf(end: Draw['end']): number {
  if (end === undefined) return 0.018;
  return end === 'failed' ? 1 : 0;
}

function drawAttempt(
  model: Model,
  { provider, tag }: Endpoint,
  fault: ErrorCode | undefined,
  random: () => number,
): ProviderAttempt {
  const pace = { northgpu: 380, southgpu: 460, borealis: 260, tidewater: 190 }[provider.slug] ?? 300;
  const latency = Math.round(pace * (0.6 + random() + 3 * random() ** 8));
  const base = { provider: provider.slug, model: model.id, tag };
  if (fault === undefined) return { ...base, status: 200, latency };
  const late = fault === 'provider_timeout' ? 20_000 : 0;
  return {
    ...base,
    status: errorTable[fault].status,
    latency: latency + late,
    failure: { row: fault, code: fault === 'provider_overloaded' ? 'overloaded_error' : undefined },
  };
}

function drawFault(random: () => number, isTroubled: boolean): ErrorCode {
  if (isTroubled) return 'provider_overloaded';
  let left = random();
  for (const [fault, share] of faults) {
    left -= share;
    if (left <= 0) return fault;
  }
  return 'provider_failed';
}

function drawUsage({ prompt, cached }: Caller, random: () => number): Usage {
  const whole = Math.round(prompt * (0.3 + 1.4 * random()));
  const read = random() < 0.7 ? Math.round(whole * cached * (0.6 + 0.4 * random())) : 0;
  const output = Math.round(40 + 900 * random() ** 2);
  return {
    uncachedInput: whole - read,
    cacheRead: read,
    output,
    ...(random() < 0.25 ? { reasoning: Math.round(output * 0.4) } : {}),
  };
}

function shortened(usage: Usage): Usage {
  return { ...usage, output: Math.round((usage.output ?? 0) / 3), reasoning: 0 };
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function tail(random: () => number): string {
  return Array.from({ length: 20 }, () => letters[Math.floor(random() * letters.length)]).join('');
}
