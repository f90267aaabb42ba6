import { nanoFromInteger } from '../../core/money.ts';
import type { Generation } from '../../ports/generations.ts';
import type { ChargeDetails } from '../charges/charge.ts';
import { isSet } from './values.ts';

/** A row of `generations`. */
export interface GenerationRow {
  readonly id: string;
  readonly account_id: string;
  readonly key_hash: string;
  readonly workspace_id: string | null;
  readonly created_at: bigint;
  readonly settled_at: bigint;
  readonly requested_model: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly endpoint_tag: string | null;
  readonly is_byok: bigint;
  readonly cost: bigint;
  readonly list_cost: bigint;
  /** Null where the generation is the first of its request. */
  readonly request_id: string | null;
  readonly details: string;
}

/** The generation a row holds; what was not known is left out. */
export function generationFromRow(row: GenerationRow): Generation {
  const { cacheDiscount, ...details } = JSON.parse(row.details) as ChargeDetails;
  return {
    ...details,
    ...(cacheDiscount !== undefined && { cacheDiscount: nanoFromInteger(BigInt(cacheDiscount)) }),
    streamed: details.streamed === true,
    cancelled: details.cancelled === true,
    usageEstimated: details.usageEstimated === true,
    insured: details.insured === true,
    id: row.id,
    requestId: row.request_id ?? row.id,
    accountId: row.account_id,
    keyHash: row.key_hash,
    workspaceId: row.workspace_id,
    createdAt: Number(row.created_at),
    settledAt: Number(row.settled_at),
    requestedModel: row.requested_model,
    ...(row.model !== null && { model: row.model }),
    ...(row.provider !== null && { provider: row.provider }),
    ...(row.endpoint_tag !== null && { endpointTag: row.endpoint_tag }),
    isByok: isSet(row.is_byok),
    cost: nanoFromInteger(row.cost),
    listCost: nanoFromInteger(row.list_cost),
  };
}
