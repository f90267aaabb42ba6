import type { ProviderPreferences } from '../../core/inference-request.ts';
import { optional, Type } from '../../util/json-schema.ts';

const amount = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  minimum: 0,
  pattern: '^[0-9]{1,30}([.][0-9]{1,30})?$',
  description: 'a number or a decimal such as "0.25"',
});

/** The members of `provider.max_price`: numbers or decimal strings in USD (docs/spec/routing.md#preferences). */
export const maxPriceMembers = {
  prompt: optional(amount),
  completion: optional(amount),
  request: optional(amount),
  image: optional(amount),
  audio: optional(amount),
};

// Prices are integers of 1e-12 USD per unit, so a limit's further digits cannot decide anything.
const perMillionDigits = 6;
const perUnitDigits = 12;

type Amount = string | number | null | undefined;

interface GivenLimits {
  readonly prompt?: Amount;
  readonly completion?: Amount;
  readonly request?: Amount;
  readonly image?: Amount;
  readonly audio?: Amount;
}

/** Reads `max_price` as plain decimal text, cut where prices have no digits any more. */
export function readMaxPrice(limits: GivenLimits | undefined): ProviderPreferences['maxPrice'] {
  if (limits === undefined) return undefined;
  const read = {
    prompt: plainDecimal(limits.prompt, perMillionDigits),
    completion: plainDecimal(limits.completion, perMillionDigits),
    request: plainDecimal(limits.request, perUnitDigits),
    image: plainDecimal(limits.image, perUnitDigits),
    audio: plainDecimal(limits.audio, perUnitDigits),
  };
  return Object.values(read).some((limit) => limit !== undefined) ? read : undefined;
}

function plainDecimal(value: Amount, digits: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  const decimal = typeof value === 'string' ? value : withoutExponent(value);
  const [whole = '0', fraction = ''] = decimal.split('.');
  const kept = fraction.slice(0, digits).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}

function withoutExponent(value: number): string {
  if (value >= 1e21) return BigInt(value).toString();
  return value < 1e-6 ? value.toFixed(20) : String(value);
}
