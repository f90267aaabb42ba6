import type { Catalogue } from '../../core/catalogue.ts';
import { errorTable } from '../../core/errors.ts';
import { roundToNano } from '../../core/money.ts';
import { priceInEffect } from '../../core/price-in-effect.ts';
import { cachedInput, totalInput } from '../../core/usage.ts';
import type { AskedFacts, KeptPlan } from '../../ports/call-notes.ts';
import type { Generation, ProviderAttempt } from '../../ports/generations.ts';
import type { UsageDimension } from '../../ports/usage.ts';
import { type CostLine, costLines } from '../../settlement/cost-lines.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Static } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import type { ReadCall } from '../reports/reports.ts';
import { providerName, showGeneration } from '../reports/show.ts';
import type { ListedCall } from './calls.ts';
import type { CallDetail, CallRow } from './schemas.ts';

type Row = Static<typeof CallRow>;
type Detail = Static<typeof CallDetail>['data'];

/** One call in a list. @param keys Names of keys by their hashes. */
export function showCall(
  { generation: call, refusal, verdict }: ListedCall,
  catalogue: Catalogue,
  keys: ReadonlyMap<string, string>,
): Row {
  const { usage, provider } = call;
  return {
    id: call.id,
    request_id: call.requestId,
    created_at: isoTime(call.createdAt),
    settled_at: isoTime(call.settledAt),
    outcome: refusal === undefined ? outcomeOf(call) : 'refused',
    error_type: call.errorType ?? null,
    status: refusal?.status ?? call.attempts.at(-1)?.status ?? null,
    requested_model: call.requestedModel,
    model: call.model ?? null,
    provider: provider ?? null,
    provider_name: provider === undefined ? null : providerName(provider, catalogue),
    endpoint: call.endpointTag ?? null,
    attempts: call.attempts.length,
    key_hash: call.keyHash,
    key_label: keys.get(call.keyHash) ?? call.keyHash.slice(0, 8),
    workspace_id: call.workspaceId,
    router: call.routedBy ?? null,
    preset: call.preset ?? null,
    session_id: call.sessionId ?? null,
    user: call.externalUser ?? null,
    rating: verdict ?? null,
    streamed: call.streamed,
    own_credential: call.isByok,
    input_tokens: totalInput(usage) ?? null,
    cached_tokens: cachedInput(usage) ?? null,
    output_tokens: usage.output ?? null,
    reasoning_tokens: usage.reasoning ?? null,
    first_token_ms: call.latency ?? null,
    total_ms: Math.max(0, call.settledAt - call.createdAt),
    unpriced: call.unpriced === true,
    estimated: call.usageEstimated,
    cost_nano: String(call.cost),
    list_cost_nano: String(call.listCost),
  };
}

function outcomeOf({ errorType, cancelled }: Generation): 'ok' | 'failed' | 'cancelled' {
  if (errorType !== undefined) return 'failed';
  return cancelled ? 'cancelled' : 'ok';
}

/** All of one call. @param keys Names of keys by their hashes. */
export function showCallDetail(
  { generation: call, refusal, note, related, verdict }: ReadCall & Pick<ListedCall, 'verdict'>,
  catalogue: Catalogue,
  keys: ReadonlyMap<string, string>,
): Detail {
  return {
    row: showCall(
      { generation: call, ...(refusal && { refusal }), ...(verdict && { verdict }) },
      catalogue,
      keys,
    ),
    record: showGeneration(call, catalogue),
    attempts: call.attempts.map((attempt) => showAttempt(attempt, catalogue)),
    cost: showCost(call, catalogue),
    related: related.map((generation) => showCall({ generation }, catalogue, keys)),
    error_text: refusal?.message ?? errorText(call),
    replay: note === undefined ? null : replayBody(note.asked),
    plan: note?.plan === undefined ? null : showPlan(note.plan, catalogue),
  };
}

function showPlan(
  { targets, excluded, further }: KeptPlan,
  catalogue: Catalogue,
): NonNullable<Detail['plan']> {
  return {
    targets: targets.map(({ tag, prompt = null, completion = null, because = null, ...target }) => ({
      ...target,
      provider_name: providerName(target.provider, catalogue),
      endpoint: tag,
      prompt,
      completion,
      because,
    })),
    excluded: excluded.map(({ tag, ...one }) => ({
      ...one,
      provider_name: providerName(one.provider, catalogue),
      endpoint: tag,
    })),
    further,
  };
}

function errorText({ errorType, attempts }: Generation): string | null {
  if (errorType === undefined) return null;
  const row = attempts.at(-1)?.failure?.row;
  return row === undefined ? null : errorTable[row].text;
}

function showAttempt(attempt: ProviderAttempt, catalogue: Catalogue): Detail['attempts'][number] {
  const { failure } = attempt;
  return {
    provider: attempt.provider,
    provider_name: providerName(attempt.provider, catalogue),
    model: attempt.model,
    endpoint: attempt.tag,
    status: attempt.status,
    own_credential: attempt.isByok ?? false,
    latency_ms: attempt.latency,
    error: failure?.row ?? null,
    error_text: failure === undefined ? null : errorTable[failure.row].text,
    error_code: failure?.code ?? null,
  };
}

function showCost(call: Generation, catalogue: Catalogue): Detail['cost'] {
  const lines = linesOf(call, catalogue);
  return {
    lines:
      lines?.map(({ item, count, price }) => ({
        item,
        count,
        unit_price_pico: String(price),
        amount_pico: String(BigInt(count) * price),
      })) ?? null,
    list_cost_nano: String(call.listCost),
    charged_nano: String(call.cost),
    cache_discount_nano: call.cacheDiscount === undefined ? null : String(call.cacheDiscount),
    insured: call.insured,
  };
}

/** Undefined where they would not add up to the cost: the prices are others now. */
function linesOf(call: Generation, { models }: Catalogue): readonly CostLine[] | undefined {
  const { model, endpointTag, usage, listCost } = call;
  const endpoint = models.get(model ?? '')?.endpoints.find(({ tag }) => tag === endpointTag);
  if (endpoint?.price === undefined) return undefined;
  const price = priceInEffect(endpoint.price, totalInput(usage) ?? 0, call.createdAt);
  const lines = costLines(usage, price, { input: call.mediaInput ?? 0, output: call.mediaOutput ?? 0 });
  const sum = lines.reduce((total, line) => total + BigInt(line.count) * line.price, 0n);
  return roundToNano(sum) === listCost ? lines : undefined;
}

const parameters = { type: 'object', properties: {} };

/** What tools need besides their type, so that a body with them can be read. @param name Unlike those of other tools. */
function needsOf(type: string, name: string): JsonObject {
  switch (type) {
    case 'function':
      return { name, parameters };
    case 'custom':
      return { name };
    case 'namespace':
      return { name, description: 'An example', tools: [{ type: 'function', name: 'example', parameters }] };
    case 'mcp':
      return { server_label: name, server_url: 'https://mcp.example/sse' };
    case 'file_search':
      return { vector_store_ids: ['vs_example'] };
    case 'code_interpreter':
      return { container: { type: 'auto' } };
    case 'computer_use_preview':
      return { display_width: 1024, display_height: 768, environment: 'browser' };
    default:
      return {};
  }
}

/**
 * A body that is routed like that of a call, for asking where it would go now: its models, preferences and kinds of tools. It
 * has nothing of what was said, and stands in for names and schemas of tools.
 */
export function replayBody({
  models,
  provider,
  tools,
  maxOutputTokens,
  effort,
  format,
}: AskedFacts): JsonObject {
  const answer = { name: 'answer', schema: parameters };
  return {
    ...(models.length === 1 ? { model: models[0] } : { models }),
    ...(Object.keys(provider).length > 0 && { provider }),
    ...(tools.length > 0 && { tools: tools.map(exampleOf) }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(format !== undefined && {
      text: { format: { type: format, ...(format === 'json_schema' && answer) } },
    }),
  };
}

function exampleOf(type: string, place: number): JsonObject {
  return { type, ...needsOf(type, `example_${place + 1}`) };
}

/** How people call some values of a dimension. */
export async function usageLabels(
  dimension: UsageDimension,
  values: readonly string[],
  accountId: string,
  services: Pick<InterfaceServices, 'storage' | 'catalogue'>,
): Promise<(value: string) => string> {
  const catalogue = services.catalogue();
  if (dimension === 'key') {
    const names = await keyNames(values, services);
    return (hash) => names.get(hash) ?? hash.slice(0, 8);
  }
  if (dimension === 'workspace') {
    const page = { accountId, offset: 0, limit: mostWorkspaces };
    const { workspaces } = await services.storage.workspaces.list(page);
    const names = new Map(workspaces.map(({ id, name }) => [id, name]));
    return (id) => names.get(id) ?? (id || 'no workspace');
  }
  if (dimension === 'provider')
    return (slug) => (slug ? providerName(slug, catalogue) : 'no provider answered');
  if (dimension === 'error') return (type) => (type ? type.replaceAll('_', ' ') : 'ok');
  return (value) => value || 'none reached';
}

/** The names of keys by their hashes; keys that are deleted have none. */
export async function keyNames(
  hashes: readonly string[],
  { storage }: Pick<InterfaceServices, 'storage'>,
): Promise<ReadonlyMap<string, string>> {
  const known = await Promise.all([...new Set(hashes)].map((hash) => storage.keys.findWithAccount(hash)));
  return new Map(
    known.flatMap((one) => (one === undefined ? [] : [[one.key.hash, one.key.name || one.key.label]])),
  );
}

const mostWorkspaces = 100;
