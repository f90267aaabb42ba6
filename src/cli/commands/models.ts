import type { Command } from 'commander';
import { askModels } from '../../catalogue/ask-models.ts';
import { withDiscovered } from '../../catalogue/discovered-models.ts';
import { nearest } from '../../config/nearest.ts';
import type { Catalogue, Endpoint, Model, Price } from '../../core/catalogue.ts';
import { formatPrice, type PicoUsd } from '../../core/money.ts';
import { snakeCase } from '../../util/snake-case.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { type Column, formatPairs, formatTable } from '../format-table.ts';

/** `models list` and `models show`: the effective catalogue. */
export function addModelCommands(program: Command, context: CommandContext): void {
  const models = program.command('models').description('the effective catalogue');
  models
    .command('list')
    .description('list the models clients can name')
    .option('--provider <slug>', 'only those a provider serves')
    .action(async ({ provider }: { provider?: string }) => {
      const catalogue = await loadCatalogue(context);
      if (provider !== undefined && !catalogue.providers.has(provider)) {
        const known = [...catalogue.providers.keys()].join(', ');
        throw new CommandFailure(`no provider "${provider}" is in service; there are: ${known}`);
      }
      const found = [...catalogue.models.values()].filter(
        ({ endpoints }) =>
          provider === undefined || endpoints.some((endpoint) => endpoint.provider.slug === provider),
      );
      context.answer({ models: found.map(showModel) }, formatTable(modelColumns, found.map(modelRow)));
    });
  models
    .command('show')
    .description('show a model and its endpoints')
    .argument('<id>', 'author/name')
    .action(async (id: string) => {
      const catalogue = await loadCatalogue(context);
      const model = [...catalogue.models.values()].find((one) => one.id.toLowerCase() === id.toLowerCase());
      if (model === undefined) {
        const near = nearest(id, [...catalogue.models.keys()]);
        const advice = near === undefined ? 'see "headgate models list"' : `did you mean "${near}"?`;
        throw new CommandFailure(`no model "${id}" is served; ${advice}`);
      }
      context.answer(showModel(model), modelText(model));
    });
}

async function loadCatalogue(context: CommandContext): Promise<Catalogue> {
  const { catalogue } = await context.loadForBooks();
  return discoveredCatalogue(catalogue, context.environment.stderr);
}

/**
 * A catalogue with the models that providers list now (docs/spec/catalogue.md#discovered-models).
 * @param warn Gets a line for each provider that lists nothing.
 */
async function discoveredCatalogue(catalogue: Catalogue, warn: (text: string) => void): Promise<Catalogue> {
  const providers = [...catalogue.providers.values()].filter(
    ({ discovers, baseUrl }) => discovers === true && baseUrl !== undefined,
  );
  const lists = await Promise.all(
    providers.map(async (provider) => [provider.slug, await askModels(provider)] as const),
  );
  for (const [slug, list] of lists) if ('failure' in list) warn(`warning: ${slug} ${list.failure}\n`);
  const found = lists.map(([slug, list]) => [slug, 'failure' in list ? [] : list.models] as const);
  return withDiscovered(catalogue, new Map(found));
}

/** Columns of the table of models. */
const modelColumns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CONTEXT', align: 'right' },
  { heading: 'INPUT $/M', align: 'right' },
  { heading: 'OUTPUT $/M', align: 'right' },
  { heading: 'PROVIDERS' },
];

/** A model as a row of the table, with the prices of its first endpoint. */
function modelRow(model: Model): readonly string[] {
  const price = model.endpoints[0]?.price;
  return [
    model.id,
    String(model.contextLength ?? '-'),
    perMillion(price?.prompt),
    perMillion(price?.completion),
    [...new Set(model.endpoints.map(({ tag }) => tag))].join(' '),
  ];
}

/** A model as JSON; prices are decimal text in USD per unit. */
function showModel(model: Model) {
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    created: model.created,
    context_length: model.contextLength ?? null,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    reasoning: model.reasoning ?? null,
    endpoints: model.endpoints.map(showEndpoint),
  };
}

/** A model with all its endpoints in words. */
function modelText(model: Model): string {
  const about: (readonly [string, string])[] = [
    ['Id', model.id],
    ['Name', model.name],
    ['Description', model.description],
    ['Context', model.contextLength === undefined ? 'unknown' : `${model.contextLength} tokens`],
    ['Reads', model.inputModalities.join(', ')],
    ['Writes', model.outputModalities.join(', ')],
    ['Reasons', model.reasoning === undefined ? 'no' : model.reasoning.mandatory ? 'always' : 'on request'],
  ];
  return [
    formatPairs(about),
    ...model.endpoints.map((endpoint) => formatPairs(endpointPairs(endpoint))),
  ].join('\n');
}

function endpointPairs(endpoint: Endpoint): readonly (readonly [string, string])[] {
  const { price } = endpoint;
  return [
    ['Endpoint', endpoint.tag],
    ['Model there', endpoint.upstreamModel],
    ['Tier', endpoint.tier],
    [
      'Longest output',
      endpoint.maxCompletionTokens === undefined ? 'unknown' : `${endpoint.maxCompletionTokens} tokens`,
    ],
    [
      'Price',
      price === undefined
        ? 'unknown: refused to prepaid accounts and keys with a limit; others are charged nothing'
        : priceText(price),
    ],
  ];
}

function priceText(price: Price): string {
  const parts = [`${perMillion(price.prompt)} in`, `${perMillion(price.completion)} out`];
  if (price.cacheRead !== undefined) parts.push(`${perMillion(price.cacheRead)} cache read`);
  if (price.cacheWrite !== undefined) parts.push(`${perMillion(price.cacheWrite)} cache write`);
  return `${parts.join(', ')} (USD per million tokens)`;
}

function showEndpoint(endpoint: Endpoint) {
  return {
    provider: endpoint.provider.slug,
    model: endpoint.upstreamModel,
    tag: endpoint.tag,
    tier: endpoint.tier,
    quantization: endpoint.quantization ?? null,
    context_length: endpoint.contextLength ?? null,
    max_completion_tokens: endpoint.maxCompletionTokens ?? null,
    supported_parameters:
      endpoint.supportedParameters === undefined ? null : [...endpoint.supportedParameters],
    pricing: endpoint.price === undefined ? null : showPrice(endpoint.price),
  };
}

function showPrice({ overrides, ...price }: Price) {
  const shown = (units: object) =>
    Object.fromEntries(
      Object.entries(units).flatMap(([name, value]) => {
        if (value === undefined) return [];
        return [[snakeCase(name), typeof value === 'bigint' ? formatPrice(value as PicoUsd) : value]];
      }),
    );
  return { ...shown(price), ...(overrides && { overrides: overrides.map(shown) }) };
}

function perMillion(price: PicoUsd | undefined): string {
  return price === undefined ? '-' : formatPrice((price * 1_000_000n) as PicoUsd);
}
