import { hostname } from 'node:os';
import type { CallOutcome, CallPhase } from '../../pipeline/call-progress.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { LiveCall } from './running-calls.ts';

/** A running request as viewers see it. Holds nothing of what was said. */
export interface LiveRow {
  readonly id: string;
  /** The host and the process id of the process that runs it. */
  readonly process: string;
  readonly account_id: string;
  readonly key_hash: string;
  readonly workspace_id: string | null;
  readonly requested_model: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly attempt: number;
  readonly phase: CallPhase;
  readonly streamed: boolean;
  readonly began_at: string;
  readonly first_token_ms: number | null;
  readonly output_tokens: number;
  readonly ceiling_nano: string | null;
  /** Unknown where its process says nothing any more. */
  readonly outcome: CallOutcome | 'unknown' | null;
  readonly cost_nano: string | null;
  readonly ended_at: string | null;
}

/** Which requests a viewer may see and wants to see; undefined lets any pass. */
export interface LiveFilter {
  readonly accountId?: string | undefined;
  readonly keyHash?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** How many requests run, and how many ended within the last minute. */
export interface LiveCounts {
  readonly running: number;
  readonly streams: number;
  readonly done: number;
  readonly failed: number;
}

/** Equal for filters that let the same pass. */
export function filterName({ accountId, keyHash, workspaceId, model, provider }: LiveFilter): string {
  return JSON.stringify([accountId, keyHash, workspaceId, model, provider]);
}

/** Rows that a viewer gets at most. */
export const mostLiveRows = 200;

/** Rows of the first requests that pass. @param calls The longest-running first. */
export function liveRows(calls: Iterable<LiveCall>, filter: LiveFilter): readonly LiveRow[] {
  const rows: LiveRow[] = [];
  for (const call of calls) {
    if (!passes(call, filter)) continue;
    rows.push(liveRow(call));
    if (rows.length === mostLiveRows) break;
  }
  return rows;
}

/** How many requests pass. */
export function countLive(calls: Iterable<LiveCall>, filter: LiveFilter) {
  let [running, streams] = [0, 0];
  for (const call of calls) {
    if (!passes(call, filter)) continue;
    running += 1;
    if (call.facts.request.stream) streams += 1;
  }
  return { running, streams };
}

/** As the page of health names it. */
const ownProcess = `${hostname()}:${process.pid}`;

/** A request as it is now. @param endedAt When it ended, Unix milliseconds. */
export function liveRow({ facts, progress }: LiveCall, endedAt?: number): LiveRow {
  const { caller, request, generationId, receivedAt } = facts;
  const turn = progress.turn?.state;
  const isOver = endedAt !== undefined;
  return {
    id: generationId,
    process: ownProcess,
    account_id: caller.account.id,
    key_hash: caller.key.hash,
    workspace_id: caller.key.workspaceId,
    requested_model: request.models[0] ?? '',
    model: turn?.model ?? null,
    provider: turn?.provider ?? null,
    attempt: turn?.attempts ?? 0,
    phase: isOver ? 'ended' : (turn?.phase ?? 'admitted'),
    streamed: request.stream,
    began_at: isoTime(receivedAt),
    first_token_ms: turn?.firstAt === undefined ? null : turn.firstAt - receivedAt,
    output_tokens: turn?.outputTokens ?? 0,
    ceiling_nano: turn?.ceiling === undefined ? null : String(turn.ceiling),
    outcome: isOver ? (progress.outcome ?? 'refused') : null,
    cost_nano: isOver ? String(progress.cost) : null,
    ended_at: isOver ? isoTime(endedAt) : null,
  };
}

/** Whether a viewer sees a request. */
export function passes({ facts, progress }: LiveCall, filter: LiveFilter): boolean {
  const { account, key } = facts.caller;
  if (filter.accountId !== undefined && account.id !== filter.accountId) return false;
  if (filter.keyHash !== undefined && key.hash !== filter.keyHash) return false;
  if (filter.workspaceId !== undefined && key.workspaceId !== filter.workspaceId) return false;
  if (filter.model === undefined && filter.provider === undefined) return true;
  const turn = progress.turn?.state;
  const models = [turn?.model, ...facts.request.models];
  if (filter.model !== undefined && !models.includes(filter.model)) return false;
  return filter.provider === undefined || turn?.provider === filter.provider;
}
