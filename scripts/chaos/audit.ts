import type { CountedCall } from '../../test/e2e/support/counting-upstream.ts';
import type { Answer } from './answer-log.ts';
import { keyedRequestLimit, requestLimit } from './options.ts';

/** The price per token of a run's model, in nano-USD. */
const tokenPrice = { input: 1_000, output: 2_000 } as const;

/** A booked call in the ledger. */
export interface BookedCall {
  readonly id: string;
  /** Nano-USD. */
  readonly cost: number;
  /** The provider's own id of the answer; undefined when none was reached or its answer never came. */
  readonly upstreamId: string | undefined;
  /** Closed by another process after its own process had died. */
  readonly lapsed: boolean;
}

/** The inputs of the comparison. */
export interface Evidence {
  readonly answers: readonly Answer[];
  readonly booked: readonly BookedCall[];
  readonly calls: ReadonlyMap<string, CountedCall>;
  /** The differences found by `ledger verify`. */
  readonly differences: readonly unknown[];
  /** Nano-USD still reserved after every lease has expired, by account. */
  readonly held: ReadonlyMap<string, bigint>;
}

/** Violations; each is a list of the ids concerned. */
export interface Findings {
  /** Seen complete by a client but not in the ledger. */
  readonly uncharged: readonly string[];
  /** In the ledger at another cost than the answer reported. */
  readonly costDiffers: readonly string[];
  /** In the ledger at another cost than the provider's tokens amount to. */
  readonly notTheProviders: readonly string[];
  /** One provider answer under two generations, or a generation twice. */
  readonly chargedTwice: readonly string[];
  readonly differences: readonly string[];
  readonly held: readonly string[];
  /** Requests that took longer than the limit. */
  readonly tooLong: readonly string[];
}

/** Counts that are worth knowing and violate nothing. */
export interface Circumstances {
  /**
   * Calls that the provider answered and nobody was charged for: their process died, or their client got an error.
   */
  readonly answeredUncharged: number;
  /** Charged though no client saw the answer complete, because it was cut off on the way to the client. */
  readonly chargedWithoutAnswer: number;
  /** Records that another process closed. */
  readonly lapsed: number;
  /** Answers read again through their idempotency key, without a charge. */
  readonly readAgain: number;
  /** Idempotency keys whose answer was made twice, because Redis had lost the first one. */
  readonly madeTwice: number;
}

/** Compares what clients saw, what the provider would bill, and what the ledger contains. */
export function audit(evidence: Evidence): {
  readonly findings: Findings;
  readonly circumstances: Circumstances;
} {
  const { answers, booked, calls, differences, held } = evidence;
  const complete = answers.filter((answer) => answer.complete);
  const byId = new Map(booked.map((call) => [call.id, call]));
  const charged = booked.filter(({ upstreamId }) => upstreamId !== undefined);
  const seen = new Set(complete.map(({ generationId }) => generationId));
  const billed = new Set(charged.map(({ upstreamId }) => upstreamId));
  return {
    findings: {
      uncharged: complete.flatMap(({ generationId = 'without an id' }) =>
        byId.has(generationId) ? [] : [generationId],
      ),
      costDiffers: complete.flatMap(({ generationId = '', cost }) => {
        const call = byId.get(generationId);
        return call === undefined || call.cost === cost
          ? []
          : [`${generationId}: ${cost} seen, ${call.cost} booked`];
      }),
      notTheProviders: charged.filter((call) => !isThePrice(call, calls)).map(({ id }) => id),
      chargedTwice: [
        ...repeated(booked.map(({ id }) => id)),
        ...repeated(charged.map(({ upstreamId = '' }) => upstreamId)),
      ],
      differences: differences.map((difference) => JSON.stringify(difference)),
      held: [...held]
        .filter(([, amount]) => amount !== 0n)
        .map(([account, amount]) => `${account}: ${amount}`),
      tooLong: answers.filter((answer) => answer.took > limitOf(answer)).map(describe),
    },
    circumstances: {
      answeredUncharged: [...calls.keys()].filter((id) => !billed.has(id)).length,
      chargedWithoutAnswer: charged.filter(({ id }) => !seen.has(id)).length,
      lapsed: booked.filter(({ lapsed }) => lapsed).length,
      readAgain: complete.length - seen.size,
      madeTwice: [...Map.groupBy(complete, ({ idempotencyKey }) => idempotencyKey)].filter(
        ([key, same]) => key !== undefined && new Set(same.map(({ generationId }) => generationId)).size > 1,
      ).length,
    },
  };
}

/** Whether there are no violations. */
export function isClean(findings: Findings): boolean {
  return Object.values(findings).every((found: readonly string[]) => found.length === 0);
}

function limitOf({ idempotencyKey }: Answer): number {
  return idempotencyKey === undefined ? requestLimit : keyedRequestLimit;
}

function describe({ took, status, phase, streamed, idempotencyKey, generationId, at }: Answer): string {
  const kind = `${streamed ? 'streamed' : 'whole'}${idempotencyKey === undefined ? '' : ', with a key'}`;
  return `${Math.round(took)} ms, ${status}, ${kind}, ${phase}, ended ${new Date(at).toISOString()}, ${generationId}`;
}

/** An interrupted answer is charged by what had arrived, which the provider's count does not show. */
function isThePrice({ cost, upstreamId = '' }: BookedCall, calls: Evidence['calls']): boolean {
  const call = calls.get(upstreamId);
  if (call === undefined) return false;
  return !call.complete || cost === call.input * tokenPrice.input + call.output * tokenPrice.output;
}

function repeated(ids: readonly string[]): readonly string[] {
  return [...Map.groupBy(ids, (id) => id)].filter(([, same]) => same.length > 1).map(([id]) => id);
}
