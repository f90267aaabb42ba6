import type { Price, PriceOverride } from '../core/catalogue.ts';
import type { PicoUsd } from '../core/money.ts';
import type { PriceSettings } from './catalogue-schema.ts';

type Prices = Omit<PriceOverride, 'minPromptTokens' | 'utcStart' | 'utcEnd'>;
type OverrideSettings = NonNullable<PriceSettings['overrides']>[number];

const wholeBasis = 10_000;

/**
 * Reads a price of the file in internal units. Applies a discount once, here, so that shown, compared and charged
 * prices agree (docs/spec/catalogue.md#prices: on inference, not on searches).
 */
export function readPrice(settings: PriceSettings): Price {
  const off = Math.round((settings.discount ?? 0) * wholeBasis);
  const { prompt, completion, ...others } = discounted(readUnits(settings), off);
  return Object.freeze({
    // Required by the schema, but not in an override.
    prompt: prompt ?? settings.input,
    completion: completion ?? settings.output,
    ...others,
    ...(settings.overrides === undefined
      ? {}
      : { overrides: Object.freeze(settings.overrides.map((entry) => readOverride(entry, off))) }),
    ...(off === 0 ? {} : { discountBasisPoints: off }),
  });
}

function readOverride(settings: OverrideSettings, off: number): PriceOverride {
  return Object.freeze({
    ...discounted(readUnits(settings), off),
    ...present({
      minPromptTokens: settings.min_prompt_tokens,
      utcStart: settings.utc_start,
      utcEnd: settings.utc_end,
    }),
  });
}

function readUnits(settings: Partial<PriceSettings>): Prices {
  return present({
    prompt: settings.input,
    completion: settings.output,
    reasoning: settings.reasoning,
    cacheRead: settings.cache_read,
    cacheWrite: settings.cache_write,
    cacheWriteLong: settings.cache_write_1h,
    audioInput: settings.audio_input,
    audioCacheRead: settings.audio_cache_read,
    audioOutput: settings.audio_output,
    imageToken: settings.image_token,
    imageOutputToken: settings.image_output_token,
    request: settings.request,
    image: settings.image,
    imageOutput: settings.image_output,
    webSearch: settings.web_search,
  });
}

function discounted({ webSearch, ...inference }: Prices, off: number): Prices {
  const units = Object.entries(inference).map(([name, price]) => [name, takeOff(price, off)] as const);
  return { ...Object.fromEntries(units), ...present({ webSearch }) };
}

/** Rounded half up to a pico-USD. */
function takeOff(price: PicoUsd, off: number): PicoUsd {
  if (off === 0) return price;
  return ((price * BigInt(wholeBasis - off) + BigInt(wholeBasis / 2)) / BigInt(wholeBasis)) as PicoUsd;
}

function present<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
