import { nanoFromInteger } from '../../core/money.ts';
import type { Generation, ProviderAttempt } from '../../ports/generations.ts';
import type { SqlValue } from './statement.ts';
import { flag, isSet, known, numberIfKnown } from './values.ts';

/** The columns of a generation in the order `generationRow` fills them. */
export const generationColumns = [
  'id',
  'request_id',
  'account_id',
  'key_hash',
  'workspace_id',
  'created_at',
  'settled_at',
  'requested_model',
  'model',
  'provider',
  'endpoint_tag',
  'upstream_id',
  'session_id',
  'external_user',
  'http_referer',
  'app_title',
  'user_agent',
  'service_tier',
  'is_byok',
  'streamed',
  'cancelled',
  'finish_reason',
  'native_finish_reason',
  'error_type',
  'latency',
  'generation_time',
  'uncached_input',
  'cache_read',
  'cache_write',
  'cache_write_long',
  'audio_input',
  'output',
  'reasoning',
  'usage_estimated',
  'insured',
  'cost',
  'list_cost',
  'attempts',
] as const;

type Flag = 'is_byok' | 'streamed' | 'cancelled' | 'usage_estimated' | 'insured';
type Count =
  | 'latency'
  | 'generation_time'
  | 'uncached_input'
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_long'
  | 'audio_input'
  | 'output'
  | 'reasoning';
type Required = 'id' | 'request_id' | 'account_id' | 'key_hash' | 'requested_model' | 'attempts';
type Amount = 'cost' | 'list_cost' | 'created_at' | 'settled_at';
type Column = (typeof generationColumns)[number];

/** A row of `generations`; a null count was not reported. */
export type GenerationRow = { readonly [column in Flag | Amount]: bigint } & {
  readonly [column in Count]: bigint | null;
} & { readonly [column in Required]: string } & {
  readonly [column in Exclude<Column, Flag | Amount | Count | Required>]: string | null;
};

const largestInteger = 2n ** 63n - 1n;

/**
 * A generation as the values of `generationColumns`. One generation must never spoil the batch it is
 * booked in, so counts and durations are made whole, or null when they are no number at all.
 * @throws RangeError when a sum of money does not fit 64 bits or a time is no number.
 */
export function generationRow(generation: Generation): SqlValue[] {
  const { usage } = generation;
  return [
    generation.id,
    generation.requestId,
    generation.accountId,
    generation.keyHash,
    generation.workspaceId,
    time(generation.createdAt),
    time(generation.settledAt),
    generation.requestedModel,
    generation.model ?? null,
    generation.provider ?? null,
    generation.endpointTag ?? null,
    generation.upstreamId ?? null,
    generation.sessionId ?? null,
    generation.externalUser ?? null,
    generation.httpReferer ?? null,
    generation.appTitle ?? null,
    generation.userAgent ?? null,
    generation.serviceTier ?? null,
    flag(generation.isByok),
    flag(generation.streamed),
    flag(generation.cancelled),
    generation.finishReason ?? null,
    generation.nativeFinishReason ?? null,
    generation.errorType ?? null,
    count(generation.latency),
    count(generation.generationTime),
    count(usage.uncachedInput),
    count(usage.cacheRead),
    count(usage.cacheWrite),
    count(usage.cacheWriteLong),
    count(usage.audioInput),
    count(usage.output),
    count(usage.reasoning),
    flag(generation.usageEstimated),
    flag(generation.insured),
    money(generation.cost),
    money(generation.listCost),
    JSON.stringify(generation.attempts),
  ];
}

/** The generation a row holds; what was not known is left out. */
export function generationFromRow(row: GenerationRow): Generation {
  return known<Generation>({
    id: row.id,
    requestId: row.request_id,
    accountId: row.account_id,
    keyHash: row.key_hash,
    workspaceId: row.workspace_id,
    createdAt: Number(row.created_at),
    settledAt: Number(row.settled_at),
    requestedModel: row.requested_model,
    model: row.model ?? undefined,
    provider: row.provider ?? undefined,
    endpointTag: row.endpoint_tag ?? undefined,
    upstreamId: row.upstream_id ?? undefined,
    sessionId: row.session_id ?? undefined,
    externalUser: row.external_user ?? undefined,
    httpReferer: row.http_referer ?? undefined,
    appTitle: row.app_title ?? undefined,
    userAgent: row.user_agent ?? undefined,
    serviceTier: row.service_tier ?? undefined,
    isByok: isSet(row.is_byok),
    streamed: isSet(row.streamed),
    cancelled: isSet(row.cancelled),
    finishReason: row.finish_reason ?? undefined,
    nativeFinishReason: row.native_finish_reason ?? undefined,
    errorType: row.error_type ?? undefined,
    latency: numberIfKnown(row.latency),
    generationTime: numberIfKnown(row.generation_time),
    usage: known({
      uncachedInput: numberIfKnown(row.uncached_input),
      cacheRead: numberIfKnown(row.cache_read),
      cacheWrite: numberIfKnown(row.cache_write),
      cacheWriteLong: numberIfKnown(row.cache_write_long),
      audioInput: numberIfKnown(row.audio_input),
      output: numberIfKnown(row.output),
      reasoning: numberIfKnown(row.reasoning),
    }),
    usageEstimated: isSet(row.usage_estimated),
    insured: isSet(row.insured),
    cost: nanoFromInteger(row.cost),
    listCost: nanoFromInteger(row.list_cost),
    attempts: JSON.parse(row.attempts) as ProviderAttempt[],
  });
}

function count(value: number | undefined): number | null {
  if (value === undefined) return null;
  const whole = Math.round(value);
  return Number.isSafeInteger(whole) ? whole : null;
}

function time(value: number): number {
  const whole = Math.round(value);
  if (!Number.isSafeInteger(whole)) throw new RangeError(`${value} is not a time in Unix milliseconds`);
  return whole;
}

function money(amount: bigint): bigint {
  if (amount > largestInteger || amount < -largestInteger) throw new RangeError('An amount exceeds 64 bits.');
  return amount;
}
