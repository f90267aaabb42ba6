import type { Endpoint } from '../../src/core/catalogue.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { parsePricePerMillion, parsePricePerUnit } from '../../src/core/money.ts';
import { takesParameter } from '../../src/core/parameters.ts';
import type { CanonicalChat } from '../../src/core/request.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';
import { covering, matches, type NaiveEntry, naivePrice, needsZdr } from './naive-rules.ts';

type Rule = readonly [reason: string, keep: (entries: NaiveEntry[]) => NaiveEntry[]];

/** The rules of docs/spec/routing.md#hard-filters in their order, each as what it leaves. */
export function hardRules(request: InferenceRequest, snapshot: RoutingSnapshot): Rule[] {
  const { provider, canonical, parameters } = request;
  const { policy, prompt } = snapshot;
  const { only, quantizations, maxPrice } = provider;
  const each = (reason: string, passes: (one: NaiveEntry) => boolean): Rule => [
    reason,
    (entries) => entries.filter(passes),
  ];
  const ignored = [...(provider.ignore ?? []), ...(policy.ignoredProviders ?? [])];
  const price = ({ endpoint }: NaiveEntry) => naivePrice(endpoint, snapshot);
  const output = canonical.maxOutputTokens ?? 0;
  const image = JSON.stringify(canonical.items).includes('"kind":"image"');
  return [
    each(
      'allowed_providers',
      ({ endpoint }) =>
        (policy.allowedProviders ?? []).every((list) =>
          list.some((entry) => matches(entry, endpoint, endpoint.tier)),
        ) &&
        (only ?? [endpoint.tag]).some((entry) => matches(entry, endpoint, canonical.serviceTier)) &&
        !ignored.some((entry) => matches(entry, endpoint, endpoint.tier)),
    ),
    each('geo', ({ endpoint }) => !endpoint.provider.refusedCountries?.includes(policy.country ?? '')),
    each('data_region', ({ endpoint }) => policy.dataRegions?.includes(endpoint.dataRegion ?? '') ?? true),
    each('data_policy:training', (one) => mayTrain(one, request, snapshot)),
    each(
      'data_policy:zdr',
      (one) =>
        !needsZdr(one, request, snapshot) ||
        !one.endpoint.provider.retainsPrompts ||
        covering(one, snapshot).some(({ declaredZdr }) => declaredZdr === true),
    ),
    each('distillable', ({ model }) => !provider.enforceDistillableText || model.distillable === true),
    each(
      'modality',
      ({ model }) =>
        model.outputModalities.includes('text') && (!image || model.inputModalities.includes('image')),
    ),
    each(
      'quantization',
      ({ endpoint: { quantization: level = 'unknown' } }) =>
        quantizations === undefined ||
        quantizations.includes(level) ||
        (quantizations.includes('fp4') && (level === 'mxfp4' || level === 'nvfp4')) ||
        (quantizations.includes('fp8') && level === 'mxfp8'),
    ),
    [
      'context_length',
      (entries) => {
        const writing = entries.filter(({ endpoint }) => output <= (endpoint.maxCompletionTokens ?? output));
        const share = canonical.truncation === 'auto' ? 2 : 1;
        const shortened = writing.filter((one) => share === 2 || shortensUnasked(one, canonical));
        const fitting = writing.filter(
          ({ endpoint }) =>
            prompt.tokens + output <= share * (endpoint.contextLength ?? Number.POSITIVE_INFINITY) &&
            prompt.tokens <= share * (endpoint.maxPromptTokens ?? Number.POSITIVE_INFINITY),
        );
        if (fitting.length > 0) return fitting;
        const close = writing.filter(({ endpoint }) => mayFit(endpoint, output, prompt.tokens));
        if (share === 1 && close.length > 0) return close;
        const longest = Math.max(...shortened.map(({ endpoint }) => endpoint.contextLength ?? 0));
        return shortened.filter(({ endpoint }) => (endpoint.contextLength ?? 0) === longest);
      },
    ],
    each(
      'max_price',
      (one) =>
        !(policy.pricedOnly && one.endpoint.price === undefined) &&
        (price(one)?.prompt ?? 0n) <= parsePricePerMillion(maxPrice?.prompt ?? 1e6) &&
        (price(one)?.completion ?? 0n) <= parsePricePerMillion(maxPrice?.completion ?? 1e6) &&
        (price(one)?.request ?? 0n) <= parsePricePerUnit(maxPrice?.request ?? 1e6),
    ),
    each(
      'require_parameters',
      ({ endpoint }) =>
        !provider.requireParameters || parameters.every((name) => takesParameter(endpoint, name)),
    ),
  ];
}

/** Whether three quarters of the estimate fit: where even they do not, nobody need be asked. */
function mayFit({ contextLength, maxPromptTokens }: Endpoint, output: number, tokens: number): boolean {
  const least = 0.75 * tokens;
  return least + output <= (contextLength ?? Infinity) && least <= (maxPromptTokens ?? Infinity);
}

/** Whether a context is so small that too long conversations are shortened without being asked. */
function shortensUnasked({ endpoint }: NaiveEntry, { compression }: CanonicalChat): boolean {
  return compression === undefined && (endpoint.contextLength ?? Infinity) <= 8192;
}

/** Whether no endpoint of any candidate could serve this request, whatever it prefers. */
export function isImpossible(
  entries: readonly NaiveEntry[],
  { canonical }: InferenceRequest,
  { prompt }: RoutingSnapshot,
): readonly [impossible: boolean, byLength: boolean] {
  const output = canonical.maxOutputTokens ?? 0;
  const image = JSON.stringify(canonical.items).includes('"kind":"image"');
  const lacksKind = ({ model }: NaiveEntry) =>
    !model.outputModalities.includes('text') || (image && !model.inputModalities.includes('image'));
  const tooLong = (one: NaiveEntry) =>
    output > (one.endpoint.maxCompletionTokens ?? output) ||
    (canonical.truncation !== 'auto' &&
      !shortensUnasked(one, canonical) &&
      !mayFit(one.endpoint, output, prompt.tokens));
  const impossible = entries.every((one) => lacksKind(one) || tooLong(one));
  return [impossible, impossible && !entries.some(lacksKind)];
}

function mayTrain(
  { endpoint }: NaiveEntry,
  { provider }: InferenceRequest,
  { policy }: RoutingSnapshot,
): boolean {
  const { trainsOnPrompts: trains, publishesPrompts: publishes } = endpoint.provider;
  const free = endpoint.price?.prompt === 0n && endpoint.price.completion === 0n;
  if (provider.dataCollection === 'deny' && (trains || publishes)) return false;
  if (trains && (free ? policy.forbidFreeTraining : policy.forbidPaidTraining)) return false;
  return !(publishes && free && policy.forbidFreePublication);
}
