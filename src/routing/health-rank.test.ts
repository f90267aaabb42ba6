import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualRoutingRules } from '../core/routing-rules.ts';
import { healthRank } from './ordering-key.ts';
import type { EndpointHealth } from './statistics-snapshot.ts';

const usual = usualRoutingRules.health;
const well: EndpointHealth = {
  attempts: 1000,
  failures: 0,
  recentAttempts: 0,
  recentFailures: 0,
  coolingDown: false,
};

const cases: readonly (readonly [
  rank: number,
  health: Partial<EndpointHealth>,
  rules?: Partial<typeof usual>,
])[] = [
  [0, {}],
  [0, { failures: 50 }],
  [1, { failures: 51 }],
  [1, { failures: 200 }],
  [3, { failures: 201 }],
  [0, { attempts: 99, failures: 99 }],
  [3, { attempts: 100, failures: 100 }],
  [2, { recentAttempts: 10, recentFailures: 2 }],
  [0, { recentAttempts: 11, recentFailures: 2 }],
  [0, { recentAttempts: 1, recentFailures: 1 }],
  [2, { coolingDown: true }],
  [2, { coolingDown: true, failures: 51 }],
  [3, { coolingDown: true, failures: 201 }],
  [0, { failures: 51 }, { reliableUptime: 0.94 }],
  [1, { failures: 201 }, { usableUptime: 0.7 }],
  [3, { attempts: 20, failures: 20 }, { uptimeRequests: 20 }],
  [2, { recentAttempts: 1, recentFailures: 1 }, { outageFailures: 1 }],
  [0, { recentAttempts: 10, recentFailures: 2 }, { outageShare: 0.5 }],
];

for (const [rank, health, rules = {}] of cases) {
  test(`rank ${rank}: ${JSON.stringify(health)} by ${JSON.stringify(rules)}`, () => {
    assert.equal(healthRank({ ...well, ...health }, { ...usual, ...rules }), rank);
  });
}
