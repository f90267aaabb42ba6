import assert from 'node:assert/strict';
import type { Endpoint } from '../../src/core/catalogue.ts';
import { parseUsd } from '../../src/core/money.ts';
import { Spending, type SpendingServices, type SpendingTarget } from '../../src/settlement/spending.ts';
import { testCaller } from './caller.ts';
import { modelOf, providerOf } from './catalogue.ts';
import { parse } from './request-parsing.ts';
import { spendingServices } from './spending-services.ts';

/** Amounts as written, in USD. */
export const usd = parseUsd;
/** When accounts are made and their first calls come, Unix milliseconds: noon of a Wednesday. */
export const start = Date.UTC(2026, 10, 18, 12);

/** 4,000 messages of five tokens each: the input of 20,000 tokens of the specification's table. */
const input = Array.from({ length: 4_000 }, () => ({ role: 'user', content: 'a' }));
const north = providerOf({ slug: 'north' });

/** The shared endpoint of a model at its only provider. */
export function targetOf(fields: Partial<Endpoint> = {}, id = 'acme/atlas-4'): SpendingTarget {
  const model = modelOf(id, [north], fields);
  const [endpoint] = model.endpoints;
  assert.ok(endpoint);
  return { model, endpoint };
}

/** At 3 and 15 USD per million tokens. */
export const atlas = targetOf();
/** A free variant of it. */
export const free = targetOf({}, 'acme/atlas-4:free');

/** An account with a balance, its services, and a way to begin calls of it. */
export function begin(balance: string | number, change: Parameters<typeof testCaller>[1] = {}) {
  const clock = { time: start, now: () => clock.time };
  const caller = testCaller(usd(balance), { createdAt: start, ...change });
  const services = spendingServices({ clock });
  let requests = 0;
  const open = (
    maxOutputTokens?: number,
    others: Partial<SpendingServices> = {},
    body: object = { input },
  ) => {
    requests += 1;
    const limit = maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens };
    const facts = {
      generationId: `gen-${requests}`,
      request: parse({ ...body, ...limit }),
      caller,
      receivedAt: clock.time,
    };
    return new Spending(facts, { ...services, ...others });
  };
  const inFlight = () => services.inFlightBudget.inFlight(caller.account.id);
  return { clock, caller, services, open, inFlight };
}
