import type { Pricing } from '../../../clients/headgate-api.ts';
import { count, exactPico, percent, picoOf, tokenPrice } from '../../text/format.ts';

type PriceName = Exclude<keyof Pricing, 'discount' | 'overrides'>;

/** What prices are called, and what they are for; tokens are counted by the million. */
const units: Readonly<Record<PriceName, readonly [name: string, unit?: string]>> = {
  prompt: ['Input'],
  completion: ['Output'],
  internal_reasoning: ['Reasoning'],
  input_cache_read: ['Read from a cache'],
  input_cache_write: ['Written to a cache'],
  input_cache_write_1h: ['Written to a cache for an hour'],
  audio: ['Audio input'],
  input_audio_cache: ['Audio from a cache'],
  audio_output: ['Audio output'],
  image_token: ['Pictures, input'],
  image_output_token: ['Pictures, output'],
  request: ['Each request', 'a request'],
  image: ['Each picture, input', 'a picture'],
  image_output: ['Each picture, output', 'a picture'],
  web_search: ['Web search', 'a search'],
};
const names = Object.keys(units) as readonly PriceName[];

/** One price, or what changes prices, as two texts. */
export interface PriceLine {
  readonly name: string;
  readonly text: string;
}

/** Every price of an endpoint that is not nothing, then what changes them: by length, time of day and discount. */
export function priceLines(pricing: Pricing): readonly PriceLine[] {
  const lines = statedIn(pricing)
    .filter((name) => isOfText(name) || picoOf(pricing[name] ?? '') !== 0n)
    .map((name) => ({ name: units[name][0], text: amountOf(name, pricing) }));
  const { discount, overrides = [] } = pricing;
  return [
    ...lines,
    ...overrides.map((override) => ({
      name: conditionOf(override),
      text: statedIn(override)
        .map((name) => `${units[name][0].toLowerCase()} ${amountOf(name, override)}`)
        .join(', '),
    })),
    ...(discount === undefined ? [] : [{ name: 'Discount', text: `${percent(discount)} off` }]),
  ];
}

type Prices = Partial<Record<PriceName, string>>;

const statedIn = (prices: Prices) => names.filter((name) => prices[name] !== undefined);

const isOfText = (name: PriceName) => name === 'prompt' || name === 'completion';

function amountOf(name: PriceName, prices: Prices): string {
  const price = prices[name] ?? '';
  const [, unit] = units[name];
  // Below nothing means that nobody has stated one.
  if (price.startsWith('-')) return 'not stated';
  return unit === undefined ? `${tokenPrice(price)} /M` : `${exactPico(picoOf(price))} ${unit}`;
}

type Override = NonNullable<Pricing['overrides']>[number];

function conditionOf({ min_prompt_tokens: least, utc_start: start, utc_end: end }: Override): string {
  const length = least === undefined ? [] : [`more than ${count(least)} tokens of input`];
  const hours =
    start === undefined && end === undefined
      ? []
      : [`${timeOfDay(start ?? 0)} to ${timeOfDay(end ?? 2400)} UTC`];
  const text = [...length, ...hours].join(', ');
  return text === '' ? 'Always' : text.charAt(0).toUpperCase() + text.slice(1);
}

/** `0630`, given as a number, as people write it. */
function timeOfDay(time: number): string {
  const digits = String(time).padStart(4, '0');
  return `${digits.slice(0, 2)}:${digits.slice(2)}`;
}
