import { HeadgateError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ContentVault } from '../../ports/content.ts';
import type { Feedback, FeedbackSums, Verdict } from '../../ports/feedback.ts';
import type { Generation } from '../../ports/generations.ts';
import { malformed } from '../../schema/fault.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { KeyActor } from '../actor.ts';
import { readGeneration } from '../reports/reports.ts';
import type { Uses } from '../services.ts';

/** What a key says of a call. */
export interface GivenFeedback {
  readonly id: string;
  readonly rating?: -1 | 0 | 1 | undefined;
  /** From 0 to 1. */
  readonly score?: number | undefined;
  readonly category?: Feedback['category'] | undefined;
  readonly comment?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Feedback with its comment, as far as that is still kept. */
export interface ReadFeedback extends Omit<Feedback, 'comment'> {
  readonly comment: string | null;
}

type FeedbackServices = Uses<'generations' | 'feedback'> & {
  readonly contentVault: ContentVault;
  readonly clock: Clock;
};

/**
 * Stores what a key thinks of a call; its feedback of before is replaced.
 * @param keepDays Days for which a comment is kept.
 * @throws HeadgateError `not_found` for a call that is not of the account, or not of an inference key; `invalid_request` where it
 *   says nothing, and for a comment where nothing may be kept.
 */
export async function giveFeedback(
  actor: KeyActor,
  given: GivenFeedback,
  services: FeedbackServices,
  keepDays: number,
): Promise<void> {
  const { rating = null, score = null, category = null, comment, tags = [] } = given;
  if (rating !== null && score !== null) throw malformed('score', 'send either this or rating');
  if (rating === null && score === null && category === null) {
    throw malformed('rating', 'say what you think: rating, score or category');
  }
  if (comment !== undefined && actor.account.zeroRetention) {
    throw malformed('comment', 'this account has nothing kept that is written: leave it out');
  }
  const generation = await ownCall(actor, given.id, services);
  const at = services.clock.now();
  const { id: generationId, accountId, workspaceId } = generation;
  const sealed =
    comment === undefined
      ? null
      : {
          ...(await services.contentVault.seal({ accountId, generationId, at }, Buffer.from(comment))),
          expiresAt: at + keepDays * dayLength,
        };
  await services.storage.feedback.put({
    generationId,
    accountId,
    keyHash: actor.keyHash,
    workspaceId,
    model: generation.model ?? generation.requestedModel,
    preset: generation.preset ?? null,
    at,
    rating,
    score: score === null ? null : Math.round(score * 1_000),
    verdict: verdictOf(rating, score),
    category,
    tags,
    comment: sealed,
  });
}

/** What is said of a call, the latest first: by all keys for a management key, by itself for an inference key. */
export async function feedbackOf(
  actor: KeyActor,
  generationId: string,
  services: FeedbackServices,
): Promise<readonly ReadFeedback[]> {
  await ownCall(actor, generationId, services);
  const { storage, contentVault, clock } = services;
  const found = await storage.feedback.of(actor.account.id, generationId, keyOf(actor));
  return Promise.all(
    found.map(async (one) => {
      const { comment } = one;
      if (comment === null || comment.expiresAt <= clock.now()) return { ...one, comment: null };
      return { ...one, comment: String(await contentVault.open({ ...comment, generationId })) };
    }),
  );
}

/** How often calls of a range were said to be good or bad, by group; by an inference key, what itself said. */
export function feedbackSums(
  actor: KeyActor,
  asked: { readonly from: number; readonly to: number; readonly by: 'model' | 'preset' | 'category' },
  { storage }: Uses<'feedback'>,
): Promise<readonly FeedbackSums[]> {
  const limit = mostGroups;
  return storage.feedback.sums({ ...asked, accountId: actor.account.id, keyHash: keyOf(actor), limit });
}

const mostGroups = 1_000;

function keyOf({ keyKind, keyHash }: KeyActor): string | undefined {
  return keyKind === 'inference' ? keyHash : undefined;
}

async function ownCall(actor: KeyActor, id: string, services: Uses<'generations'>): Promise<Generation> {
  const { generation } = await readGeneration(actor, id, services);
  if (actor.keyKind === 'inference' && generation.keyHash !== actor.keyHash) {
    throw new HeadgateError('not_found', 'There is no such generation of this key, or it is still running.');
  }
  return generation;
}

function verdictOf(rating: number | null, score: number | null): Verdict | null {
  const value = rating ?? (score === null ? null : score - 0.5);
  if (value === null) return null;
  return value > 0 ? 'good' : value < 0 ? 'bad' : 'neither';
}
