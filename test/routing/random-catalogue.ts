import type { Catalogue, Endpoint, Model, ModelAlias, Price, Provider } from '../../src/core/catalogue.ts';
import { parsePricePerMillion, parsePricePerUnit } from '../../src/core/money.ts';
import { parameterNames } from '../../src/core/parameters.ts';
import { quantizationNames } from '../../src/core/quantization-names.ts';
import { providerOf } from '../support/catalogue.ts';
import { type Chooser, chooserOf } from './random-numbers.ts';

/** Accounts that private models and endpoints belong to. */
export const someAccount = 'user_some';
export const otherAccount = 'user_other';

const suffixes = ['', '', '/turbo', '/us-east5', '/priority', '/flex'];
const softParameters = ['tools', 'response_format', 'structured_outputs', 'verbosity'];

/** A catalogue of any size with everything in it that routing looks at. */
export function randomCatalogue(seed: number, modelCount: number, endpointsOfModel: number): Catalogue {
  const choose = chooserOf(seed);
  const providers = Array.from({ length: 40 }, (_, index) => randomProvider(choose, index));
  const models = new Map<string, Model>();
  const aliases = new Map<string, ModelAlias>();
  for (let index = 0; index < modelCount; index += 1) {
    const model = randomModel(choose, index, providers, endpointsOfModel);
    models.set(model.id, model);
    if (choose.chance(0.1)) aliases.set(`acme/old-${index}`, { kind: 'legacy', target: model.id });
  }
  aliases.set('~acme/none-latest', { kind: 'latest' });
  aliases.set('~acme/model-latest', { kind: 'latest', target: 'acme/model-7' });
  return Object.freeze({
    models,
    providers: new Map(providers.map((provider) => [provider.slug, provider])),
    aliases,
  });
}

function randomProvider(choose: Chooser, index: number): Provider {
  return providerOf({
    slug: `host-${index}`,
    name: `Host ${index}`,
    retainsPrompts: choose.chance(0.5),
    trainsOnPrompts: choose.chance(0.3),
    publishesPrompts: choose.chance(0.1),
    refusedCountries: choose.chance(0.1) ? ['XX'] : undefined,
  });
}

function randomModel(
  choose: Chooser,
  index: number,
  providers: readonly Provider[],
  endpointsOfModel: number,
): Model {
  const id = `acme/model-${index}${choose.chance(0.05) ? ':free' : ''}`;
  const tags = new Set<string>();
  const endpoints: Endpoint[] = [];
  while (endpoints.length < endpointsOfModel) {
    const endpoint = randomEndpoint(choose, choose.one(providers));
    if (tags.has(endpoint.tag)) continue;
    tags.add(endpoint.tag);
    endpoints.push(endpoint);
  }
  return {
    id,
    canonicalSlug: `acme/model-${index}-20260301`,
    name: id,
    description: '',
    created: index,
    inputModalities: choose.chance(0.5) ? ['text'] : ['text', 'image'],
    outputModalities: choose.chance(0.02) ? ['audio'] : ['text'],
    accounts: choose.chance(0.05) ? new Set([someAccount]) : undefined,
    distillable: choose.chance(0.5) ? choose.chance(0.5) : undefined,
    fastSibling: choose.chance(0.1) ? `acme/model-${choose.below(index + 1)}` : undefined,
    retired: choose.chance(id.endsWith(':free') ? 0.3 : 0.02) ? {} : undefined,
    endpoints,
  };
}

function randomEndpoint(choose: Chooser, provider: Provider): Endpoint {
  const suffix = choose.one(suffixes);
  return {
    provider,
    upstreamModel: 'm',
    tag: provider.slug + suffix,
    tier: suffix === '/priority' ? 'priority' : suffix === '/flex' ? 'flex' : 'default',
    quantization: choose.chance(0.3) ? undefined : choose.one(quantizationNames),
    contextLength: choose.chance(0.3) ? undefined : choose.one([4_000, 32_000, 128_000, 1_000_000]),
    maxCompletionTokens: choose.chance(0.5) ? undefined : choose.one([1_000, 8_000, 64_000]),
    maxPromptTokens: choose.chance(0.9) ? undefined : choose.one([2_000, 16_000, 100_000]),
    supportedParameters: choose.chance(0.5)
      ? undefined
      : new Set([...choose.some(softParameters, 0.6), ...choose.some(parameterNames, 0.7)]),
    price: choose.chance(0.1) ? undefined : randomPrice(choose),
    prior: choose.chance(0.2) ? { ttftMs: 100 + choose.below(3000), tps: 5 + choose.below(200) } : undefined,
    status: choose.chance(0.05) ? choose.one(['hidden', 'disabled', 'deprecated'] as const) : undefined,
    accounts: choose.chance(0.05) ? new Set([choose.one([someAccount, otherAccount])]) : undefined,
    dataRegion: choose.chance(0.5) ? choose.one(['europe', 'us']) : undefined,
  };
}

function randomPrice(choose: Chooser): Price {
  // Few different ones, so that many are equal.
  const usd = () => parsePricePerMillion(choose.one(['0', '0.5', '1', '2', '3', '15']));
  return {
    prompt: usd(),
    completion: usd(),
    ...(choose.chance(0.5) ? { cacheRead: usd() } : {}),
    ...(choose.chance(0.1) ? { request: parsePricePerUnit('0.002'), image: parsePricePerUnit('0.01') } : {}),
    ...(choose.chance(0.2)
      ? {
          overrides: [
            { minPromptTokens: choose.one([10_000, 100_000]), prompt: usd() },
            { utcStart: '2200', utcEnd: '0600', completion: usd() },
          ],
        }
      : {}),
  };
}
