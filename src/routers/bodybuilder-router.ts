import type { Catalogue, Model } from '../core/catalogue.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import type { RoutedModels } from '../core/routed-models.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import { emptyRouter } from '../routing/unknown-model.ts';
import { choosableModels, eligibleModels } from './eligible-models.ts';
import type { Router, RouterQuestion } from './router.ts';

/** How many models are named to the writing model at most. */
const mostNamed = 60;

const answerSchema = {
  type: 'object',
  properties: { requests: { type: 'array', items: { type: 'object' } } },
  required: ['requests'],
} as const;

/**
 * `service/bodybuilder` (docs/spec/routers.md#bodybuilder): one configured model turns a wish in plain words into bodies of
 * requests.
 */
export const bodybuilderRouter: Router = {
  id: 'service/bodybuilder',
  name: 'Body Builder',
  description: 'Turns a wish in plain words into bodies of requests: JSON of the form {"requests": [...]}.',
  belongs: (model, { rules, catalogue }) => model === writerOf(rules, catalogue),
  choose,
  prepare,
};

function choose(question: RouterQuestion): RoutedModels {
  const { request, named, snapshot } = question;
  const writer = writerOf(snapshot.rules, snapshot.catalogue);
  if (writer === undefined) throw emptyRouter(named.slug, request);
  const able = eligibleModels(question, (one) => one === writer);
  if (able.length === 0) throw emptyRouter(named.slug, request, 'has a model that cannot serve this request');
  return {
    router: 'service/bodybuilder',
    strategy: 'bodybuilder',
    models: able.map((one) => one.model.id),
    entry: { type: 'plugin', name: 'bodybuilder', summary: `written by ${able[0]?.model.id}` },
  };
}

/** The configured model, where the catalogue has it. */
function writerOf({ bodybuilder: { model: slug } }: RoutingRules, catalogue: Catalogue): Model | undefined {
  const found = slug === undefined ? undefined : resolveSlug(slug, catalogue);
  return found?.outcome === 'model' ? found.model : undefined;
}

/** Gives the model its instructions before those of the caller, and asks for JSON. */
function prepare(request: InferenceRequest, catalogue: Catalogue, accountId: string): InferenceRequest {
  const { canonical } = request;
  const names: string[] = [];
  for (const { id } of choosableModels(catalogue, accountId)) if (names.length < mostNamed) names.push(id);
  const instructions = [
    'You write bodies for POST /responses of an inference gateway. The user says in plain words what shall be asked of which models.',
    'Answer with JSON alone: {"requests": [ ... ]}, one body for each request, in the order of the wish.',
    'A body has "model" (one of the models below, or the one the user names) and "input" (text). Add "instructions", "temperature", "max_output_tokens" and "stream" only where the user asks for them.',
    `Models: ${names.join(', ')}.`,
    ...(canonical.instructions === undefined ? [] : [canonical.instructions]),
  ].join('\n');
  const format = {
    kind: 'json_schema',
    name: 'request_bodies',
    schema: answerSchema,
    strict: false,
  } as const;
  return {
    ...request,
    canonical: { ...canonical, instructions, format, tools: [], toolChoice: { kind: 'none' } },
  };
}
