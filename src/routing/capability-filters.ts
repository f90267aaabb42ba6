import type { Endpoint, Modality, Model, Price } from '../core/catalogue.ts';
import { fileEngineOf } from '../core/file-engine.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import { type PicoUsd, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';
import { takesParameter } from '../core/parameters.ts';
import { type ContentPart, chatOf } from '../core/request.ts';
import type { CollectedEndpoints } from './collect-endpoints.ts';
import type { HardFilter } from './policy-filters.ts';
import { exceeds, type PricedMoment, priceFor } from './prices.ts';
import type { PromptSize } from './route-plan.ts';

/**
 * The hard rules about abilities of models and endpoints, which precede the one about length
 * (docs/spec/routing.md#hard-filters).
 */
export function abilityFilters(
  request: AnyRequest,
  collected: readonly CollectedEndpoints[],
): readonly HardFilter[] {
  const { provider } = request;
  const { quantizations } = provider;
  const filters: HardFilter[] = [];
  if (provider.enforceDistillableText === true) {
    filters.push(['distillable', ({ candidate }) => candidate.model.distillable === true]);
  }
  const fits = modalityFilter(request, collected);
  filters.push(['modality', ({ candidate: { model } }) => fits(model)]);
  if (quantizations !== undefined) {
    filters.push([
      'quantization',
      ({ facts }) => fitsQuantization(facts.endpoint.quantization, quantizations),
    ]);
  }
  return filters;
}

/**
 * Returns whether a model reads the kinds of content in the request and writes those it asks for. Undeclared kinds
 * restrict nothing, but a candidate that declares the needed kinds is preferred
 * (docs/spec/routing.md#undeclared-kinds-of-content).
 */
export function modalityFilter(
  request: AnyRequest,
  collected: readonly CollectedEndpoints[],
): (model: Model) => boolean {
  const inputs = neededModalities(request);
  const outputs = request.canonical.outputModalities;
  const writes = (model: Model) => writesFor(model, request);
  if (inputs.size === 0 && !outputs.includes('image') && !outputs.includes('audio')) return writes;
  const isDeclared = (model: Model) => writes(model) && fitsModalities(model, inputs, outputs);
  const mayFit = (model: Model) =>
    writes(model) &&
    (model.undeclared?.input === true || readsAll(model, inputs)) &&
    (model.undeclared?.output === true || writesAll(model, outputs));
  return collected.some(({ candidate: { model } }) => isDeclared(model)) ? isDeclared : mayFit;
}

/**
 * The hard rules about prices and parameters, which follow the one about length (docs/spec/routing.md#hard-filters).
 */
export function termFilters(
  { provider, parameters }: AnyRequest,
  pricedOnly: boolean,
  moment: PricedMoment,
): readonly HardFilter[] {
  const filters: HardFilter[] = [];
  const { maxPrice } = provider;
  if (maxPrice !== undefined || pricedOnly) {
    const fits = priceFilter(maxPrice ?? {}, moment);
    filters.push([
      'max_price',
      ({ facts: { endpoint } }) => (!pricedOnly || endpoint.price !== undefined) && fits(endpoint),
    ]);
  }
  if (provider.requireParameters === true) {
    filters.push([
      'require_parameters',
      ({ facts: { endpoint } }) => parameters.every((name) => takesParameter(endpoint, name)),
    ]);
  }
  return filters;
}

/** Whether a model produces what the answer to a request is made of: vectors, or text and pictures. */
export function writesFor({ outputModalities }: Model, { canonical }: AnyRequest): boolean {
  if (canonical.kind === 'embedding') return outputModalities.includes('embeddings');
  return outputModalities.includes('text') || outputModalities.includes('image');
}

/** Whether an endpoint can write as much as the request allows. */
export function fitsOutput({ maxCompletionTokens }: Endpoint, output: number | undefined): boolean {
  return output === undefined || maxCompletionTokens === undefined || output <= maxCompletionTokens;
}

/**
 * Whether an endpoint has room for prompt and answer; an answer without a limit needs none in advance.
 * @param share The part of both that must fit.
 */
export function fitsLength(
  { contextLength, maxPromptTokens }: Endpoint,
  output: number | undefined,
  prompt: PromptSize,
  share: number,
): boolean {
  if (maxPromptTokens !== undefined && exceeds(prompt, maxPromptTokens / share)) return false;
  return contextLength === undefined || !exceeds(prompt, contextLength / share - (output ?? 0));
}

/** The part of the estimate that a prompt has at least: some tokenizers take fewer tokens than the estimate's. */
const surelyThere = 0.75;

/**
 * Whether an endpoint may have room for prompt and answer, as far as the estimate can miss: then its provider judges.
 * (docs/spec/routing.md#prompts-near-the-limit)
 */
export function mayFitLength(
  { contextLength, maxPromptTokens }: Endpoint,
  output: number | undefined,
  prompt: PromptSize,
): boolean {
  if (maxPromptTokens !== undefined && exceeds(prompt, maxPromptTokens / surelyThere)) return false;
  return contextLength === undefined || !exceeds(prompt, (contextLength - (output ?? 0)) / surelyThere);
}

const modalityOfPart: Partial<Record<ContentPart['kind'], Modality>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
};

const noModalities: ReadonlySet<Modality> = new Set();

function neededModalities(request: AnyRequest): ReadonlySet<Modality> {
  let needed: Set<Modality> | undefined;
  const isLeft = fileEngineOf(request.plugins) === 'native';
  for (const item of chatOf(request.canonical)?.items ?? []) {
    const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
    for (const part of parts) {
      const modality = neededFor(part, isLeft);
      if (modality === undefined) continue;
      needed ??= new Set();
      needed.add(modality);
    }
  }
  return needed ?? noModalities;
}

/** @param isLeft Whether files go to the model as they are. */
function neededFor(part: ContentPart, isLeft: boolean): Modality | undefined {
  if (part.kind === 'text') return undefined;
  if (part.kind === 'file') return isLeft ? 'file' : undefined;
  const mayBeLeftOut = part.kind === 'image' && part.ofFile === true;
  return mayBeLeftOut ? undefined : modalityOfPart[part.kind];
}

function fitsModalities(model: Model, inputs: ReadonlySet<Modality>, outputs: readonly Modality[]): boolean {
  return readsAll(model, inputs) && writesAll(model, outputs);
}

function readsAll({ inputModalities }: Model, inputs: ReadonlySet<Modality>): boolean {
  return [...inputs].every((modality) => inputModalities.includes(modality));
}

function writesAll({ outputModalities }: Model, outputs: readonly Modality[]): boolean {
  return outputs.every((modality) => outputModalities.includes(modality));
}

function fitsQuantization(level: string | undefined, wanted: readonly string[]): boolean {
  const known = level ?? 'unknown';
  return wanted.some(
    (entry) =>
      entry === known ||
      (entry === 'fp4' && /^(mx|nv)fp4$/.test(known)) ||
      (entry === 'fp8' && known === 'mxfp8'),
  );
}

function priceFilter(
  limits: NonNullable<AnyRequest['provider']['maxPrice']>,
  moment: PricedMoment,
): (endpoint: Endpoint) => boolean {
  const checks: [keyof Pick<Price, 'prompt' | 'completion' | 'request' | 'image' | 'audioInput'>, PicoUsd][] =
    [];
  if (limits.prompt !== undefined) checks.push(['prompt', parsePricePerMillion(limits.prompt)]);
  if (limits.completion !== undefined) checks.push(['completion', parsePricePerMillion(limits.completion)]);
  if (limits.request !== undefined) checks.push(['request', parsePricePerUnit(limits.request)]);
  if (limits.image !== undefined) checks.push(['image', parsePricePerUnit(limits.image)]);
  if (limits.audio !== undefined) checks.push(['audioInput', parsePricePerUnit(limits.audio)]);
  return (endpoint) => {
    const price = checks.length === 0 ? undefined : priceFor(endpoint, moment);
    return checks.every(([name, limit]) => (price?.[name] ?? 0n) <= limit);
  };
}
