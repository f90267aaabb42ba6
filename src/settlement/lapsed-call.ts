import type { AnyRequest } from '../core/inference-request.ts';
import { zeroUsd } from '../core/money.ts';
import type { Clock } from '../ports/clock.ts';
import type { Generation } from '../ports/generations.ts';
import type { LapsedHold } from '../ports/in-flight-budget.ts';
import type { Ledger } from '../ports/ledger.ts';
import { parseJson } from '../util/json.ts';
import type { Caller } from './caller.ts';

/** What the record of a request needs that is known before it is sent. */
export interface NotableCall {
  readonly request: Pick<AnyRequest, 'models' | 'stream'>;
  readonly caller: Pick<Caller, 'key'>;
  /** The generation of the first turn of the request; undefined where this is the first. */
  readonly requestId?: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
}

/** What is noted with the hold of a request, so that any process can close its record should this one die. */
export function noteOfCall({ caller, request, requestId, receivedAt }: NotableCall): string {
  const { hash, workspaceId } = caller.key;
  const members = [hash, workspaceId, receivedAt, request.models[0] ?? '', request.stream];
  return JSON.stringify(requestId === undefined ? members : [...members, requestId]);
}

/**
 * Closes the records of requests nobody came back for (docs/spec/money.md#lapsed-holds): with an error, at no cost. One
 * that was charged already keeps its record, and one that is charged later replaces this. A hold without a note, of
 * another version of this server, is passed over.
 * @throws HeadgateError `service_unavailable` when the books cannot be written.
 */
export async function closeLapsed(
  holds: readonly LapsedHold[],
  { ledger, clock }: { readonly ledger: Pick<Ledger, 'settle'>; readonly clock: Clock },
): Promise<void> {
  const now = clock.now();
  const records = holds.map((hold) => recordOf(hold, now)).filter((record) => record !== undefined);
  await Promise.all(records.map((record) => ledger.settle(record)));
}

function recordOf({ accountId, requestId, note }: LapsedHold, now: number): Generation | undefined {
  const call = note === undefined ? undefined : readCallNote(note);
  return (
    call && {
      ...call,
      id: requestId,
      requestId: call.requestId ?? requestId,
      accountId,
      settledAt: now,
      isByok: false,
      lapsed: true,
      cancelled: false,
      finishReason: 'error',
      errorType: 'server',
      usage: {},
      usageEstimated: false,
      insured: true,
      cost: zeroUsd,
      listCost: zeroUsd,
      attempts: [],
    }
  );
}

type NotedMember = 'keyHash' | 'workspaceId' | 'createdAt' | 'requestedModel' | 'streamed';
/** What a note says of a call. */
export type NotedCall = Pick<Generation, NotedMember> & { readonly requestId: string | undefined };

/** Reads the note of a hold; undefined for one of another version of this server. */
export function readCallNote(note: string): NotedCall | undefined {
  const members: unknown = parseJson(note);
  if (!Array.isArray(members)) return undefined;
  const [keyHash, workspaceId, createdAt, requestedModel, streamed, first]: readonly unknown[] = members;
  if (typeof keyHash !== 'string' || typeof requestedModel !== 'string') return undefined;
  if (typeof createdAt !== 'number' || typeof streamed !== 'boolean') return undefined;
  const workspace = typeof workspaceId === 'string' ? workspaceId : null;
  const requestId = typeof first === 'string' ? first : undefined;
  return { keyHash, workspaceId: workspace, createdAt, requestedModel, streamed, requestId };
}
