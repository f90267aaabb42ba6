import type { Limits } from '../../../src/core/limits.ts';
import type { NanoUsd, PicoUsd } from '../../../src/core/money.ts';
import { modelOf, providerOf } from '../../support/catalogue.ts';
import { defaultLimits } from '../../support/limits.ts';

/** Amounts of a few nano-USD, so that calls meet every limit and every equality. */
const nano = (amount: number) => BigInt(amount) as NanoUsd;

const hour = 3_600_000;

/** The limits of the scenario, all of them narrow. */
export const limits: Limits = {
  inFlightBudget: {
    enabled: true,
    fraction: 0.5,
    ceiling: nano(150),
    threshold: nano(500),
    outputTokensCap: 40,
    settlementWindow: 120_000,
    lease: 900_000,
    leaseRenewal: 30_000,
    establishedAgeDays: 2,
    establishedSpend: nano(400),
  },
  freeModels: { perMinute: 3, perDay: 7, perDayAfterPurchase: 12, purchaseThreshold: nano(90) },
  resetTimezone: 'UTC',
  weekStart: 'monday',
  reportedPieces: { searches: 256, pictures: 64 },
  countTokensPerMinute: 120,
  failedAuthentication: { perMinute: 0 },
  answerBytes: 32 * 1024 * 1024,
  rates: { key: {}, account: {}, service: {}, tokenReservation: 'estimate', tokenReserve: 1024 },
  stored: defaultLimits.stored,
};

/** Nano-USD a token at the three endpoints of the model, in the order they are tried. */
export const tokenPrices = [1, 2, 5] as const;

const picoInNano = 1_000n;
const providers = tokenPrices.map((_, index) => providerOf({ slug: `provider${index}` }));

function priced(id: string, factor: bigint) {
  const model = modelOf(id, providers);
  const endpoints = model.endpoints.map((endpoint, index) => ({
    ...endpoint,
    price: {
      prompt: 0n as PicoUsd,
      completion: (BigInt(tokenPrices[index] ?? 0) * picoInNano * factor) as PicoUsd,
    },
  }));
  return { ...model, endpoints };
}

/** The paid model, and the free one whose calls are only counted. */
export const models = [priced('acme/atlas-4', 1n), priced('acme/atlas-4:free', 0n)] as const;

/** When the account of a run is made: before the end of a day, a week, a month and a year. */
export const beginnings: readonly number[] = [
  Date.UTC(2026, 10, 18, 13, 45),
  Date.UTC(2026, 10, 18, 23, 59, 30),
  Date.UTC(2026, 10, 22, 23, 58),
  Date.UTC(2026, 11, 31, 23, 55),
  Date.UTC(2028, 1, 29, 22),
];

/** How far time goes in one step, in milliseconds. */
export const leaps = [
  500,
  29_999,
  60_000,
  120_000,
  899_999,
  900_000,
  hour,
  23 * hour,
  49 * hour,
  8 * 24 * hour,
];
