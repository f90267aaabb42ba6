import type { Limits } from '../../src/core/limits.ts';
import { parseUsd } from '../../src/core/money.ts';

/** The limits a configuration without any settings has. */
export const defaultLimits: Limits = {
  resetTimezone: 'UTC',
  weekStart: 'monday',
  inFlightBudget: {
    enabled: true,
    fraction: 0.5,
    ceiling: parseUsd(25),
    threshold: parseUsd(100),
    outputTokensCap: 16_384,
    settlementWindow: 120_000,
    lease: 900_000,
    leaseRenewal: 30_000,
    establishedAgeDays: 30,
    establishedSpend: parseUsd(50),
  },
  freeModels: { perMinute: 20, perDay: 50, perDayAfterPurchase: 1000, purchaseThreshold: parseUsd(9) },
  reportedPieces: { searches: 256, pictures: 64 },
  countTokensPerMinute: 120,
  failedAuthentication: { perMinute: 0 },
  answerBytes: 32 * 1024 * 1024,
  rates: { key: {}, account: {}, service: {}, tokenReservation: 'estimate', tokenReserve: 1024 },
  stored: {
    files: 10_000,
    fileBytes: 1024 * 1024 * 1024,
    presetBytes: 64 * 1024 * 1024,
    keys: 10_000,
    workspaces: 200,
    credentials: 1_000,
    guardrails: 100,
    fileWritesPerMinute: 120,
    presetWritesPerMinute: 30,
  },
};
