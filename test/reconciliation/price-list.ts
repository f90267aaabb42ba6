import { type Chooser, chooserOf } from '../routing/random-numbers.ts';

/** Prices by their names in the configuration, in 1e-12 USD per unit. */
export type Prices = Readonly<Record<string, bigint>>;

/** One endpoint's prices, and others for long prompts. */
export interface Listed {
  readonly prices: Prices;
  /** Taken off all but searches, in hundredths of a per cent. */
  readonly discount: number;
  readonly long?: { readonly above: number; readonly prices: Prices };
}

/** A model that both providers list, one of them in two tiers. */
export interface ListedModel {
  readonly id: string;
  /** By provider, or by provider and tier. */
  readonly at: Readonly<Record<string, Listed>>;
}

/** The providers of a run; accounts have credentials of their own for the second one. */
export const providers = ['north', 'deepinfra'] as const;

/** One of them. */
export type ProviderSlug = (typeof providers)[number];

const beside = ['cache_read', 'cache_write', 'audio_input', 'image_token', 'reasoning'] as const;

/** Random models, the same ones for the same seed. */
export function randomModels(seed: number): readonly ListedModel[] {
  const choose = chooserOf(seed);
  return ['acme/atlas-4', 'acme/big', 'acme/tiny'].map((id) => ({
    id,
    at: {
      north: listed(choose),
      'north/priority': listed(choose),
      deepinfra: listed(choose),
    },
  }));
}

function listed(choose: Chooser): Listed {
  const prices: Record<string, bigint> = { input: tokenPrice(choose), output: tokenPrice(choose) };
  for (const name of choose.some(beside, 0.5)) prices[name] = tokenPrice(choose);
  if (choose.chance(0.3)) prices.request = BigInt(choose.one([1, 499, 500, 999, 1_234_567_890_123]));
  const long: Prices = { input: tokenPrice(choose), output: tokenPrice(choose) };
  return {
    prices,
    discount: choose.chance(0.3) ? 1 + choose.below(9_999) : 0,
    ...(choose.chance(0.4) ? { long: { above: 1_000, prices: long } } : {}),
  };
}

/** From a millionth of a USD per million tokens upwards. */
function tokenPrice(choose: Chooser): bigint {
  const largest = choose.one([2, 1_000, 1_000_000, 30_000_000]);
  return BigInt(1 + choose.below(largest));
}

/** The text of a configuration with these models at a provider that answers at `url`. */
export function configurationOf(models: readonly ListedModel[], url: string, more: string): string {
  const entries = models.map(({ id, at }) => {
    const endpoints = Object.entries(at).map(([name, one]) => endpointText(name, id, one));
    return `  - id: ${id}\n    endpoints:\n${endpoints.join('')}`;
  });
  const places = providers.map(
    (slug) => `  ${slug}: { adapter: openai-chat, base_url: "${url}/${slug}", api_key: shared }\n`,
  );
  return `catalog: none\n${more}providers:\n${places.join('')}models:\n${entries.join('')}`;
}

function endpointText(name: string, id: string, { prices, discount, long }: Listed): string {
  const [provider = '', tier = 'default'] = name.split('/');
  const written = [
    ...priceTexts(prices),
    ...(discount === 0 ? [] : [`discount: ${discount / 10_000}`]),
    ...(long === undefined
      ? []
      : [`overrides: [{ min_prompt_tokens: ${long.above}, ${priceTexts(long.prices).join(', ')} }]`]),
  ];
  const model = id.split('/')[1];
  return `      - { provider: ${provider}, model: ${model}, tier: ${tier}, price: { ${written.join(', ')} } }\n`;
}

function priceTexts(prices: Prices): string[] {
  return Object.entries(prices).map(
    ([name, pico]) => `${name}: ${decimal(pico, name === 'request' ? 12 : 6)}`,
  );
}

function decimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0');
  return `"${text.slice(0, -digits)}.${text.slice(-digits)}"`;
}
