import { zeroUsd } from '../core/money.ts';
import type { OrderReason } from '../core/order-reason.ts';
import type { JsonObject } from '../util/json.ts';
import type { Generation } from './generations.ts';
import type { CallFilters, CallPlace, UsageFilters, UsageRange } from './usage.ts';

/** What a request asked for, without anything that was said. */
export interface AskedFacts {
  readonly models: readonly string[];
  /** The `provider` field, as on the wire. */
  readonly provider: JsonObject;
  /** The types of its tools, as clients write them. */
  readonly tools: readonly string[];
  readonly maxOutputTokens?: number;
  readonly effort?: string;
  readonly format?: 'json_object' | 'json_schema';
}

/** An endpoint that a request might have reached, in its place. */
export interface KeptTarget {
  readonly model: string;
  readonly tag: string;
  readonly provider: string;
  readonly tier: string;
  readonly credential: 'own' | 'shared' | 'own_fallback';
  /** Decimal text in USD per token. */
  readonly prompt?: string;
  readonly completion?: string;
  /** What put it in this place; the oldest notes do not say. */
  readonly because?: OrderReason;
}

/** An endpoint that was left out, and the word for why. */
export interface KeptExclusion {
  readonly model: string;
  readonly tag: string;
  readonly provider: string;
  readonly reason: string;
}

/** How a request was routed at its time. */
export interface KeptPlan {
  readonly targets: readonly KeptTarget[];
  readonly excluded: readonly KeptExclusion[];
  /** Endpoints of both kinds that found no room. */
  readonly further: number;
}

/** Why a request was turned away before any endpoint was asked. */
export interface Refusal {
  readonly status: number;
  /** Without anything that was said. */
  readonly message: string;
}

/** What is kept of a call beside its record. */
export interface CallNote {
  readonly asked: AskedFacts;
  readonly plan?: KeptPlan;
}

/** A request that was turned away, in the form of a record: it cost nothing and reached nobody. */
export interface RefusedRequest {
  readonly generation: Generation;
  readonly refusal: Refusal;
}

/** What the record of a request says of which nothing ran. */
export const nothingRan = {
  isByok: false,
  cancelled: false,
  usage: {},
  usageEstimated: false,
  insured: false,
  cost: zeroUsd,
  listCost: zeroUsd,
  attempts: [],
} satisfies Partial<Generation>;

/** A note to be stored. */
export interface NewCallNote extends CallNote {
  readonly id: string;
  readonly accountId: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** Of a request without a record. */
  readonly refused?: RefusedRequest;
}

/** Which refused requests to list, newest first. */
export interface RefusedQuery {
  readonly range: UsageRange;
  readonly filters: UsageFilters & { readonly accountId: string };
  readonly calls: CallFilters;
  readonly before?: CallPlace | undefined;
  readonly limit: number;
}

/** What is kept of calls beside their records (docs/spec/dashboard.md#refused-requests-and-plans). */
export interface CallNoteStore {
  add(notes: readonly NewCallNote[]): Promise<void>;
  find(
    id: string,
  ): Promise<(CallNote & { readonly refused?: RefusedRequest; readonly accountId: string }) | undefined>;
  /** Refused requests; fewer than asked for where there are no more. */
  refused(query: RefusedQuery): Promise<readonly RefusedRequest[]>;
  /** Deletes some notes from before a moment, and the oldest of accounts that have too many. Returns how many. */
  prune(before: number, mostOfAccount: number): Promise<number>;
}
