import type { SealedContent } from './content.ts';

/** What feedback may be about. */
export const feedbackCategories = [
  'latency',
  'incoherence',
  'incorrect_response',
  'formatting',
  'billing',
  'api_error',
  'other',
] as const;

/** What feedback is about. */
export type FeedbackCategory = (typeof feedbackCategories)[number];

/** What feedback comes to, whatever form it has. */
export const verdicts = ['bad', 'neither', 'good'] as const;

/** What feedback comes to. */
export type Verdict = (typeof verdicts)[number];

/** What one key thinks of one call (docs/spec/feedback.md). */
export interface Feedback {
  readonly generationId: string;
  readonly accountId: string;
  readonly keyHash: string;
  readonly workspaceId: string | null;
  /** The model and the preset of the call, for sums. */
  readonly model: string;
  readonly preset: string | null;
  /** Unix milliseconds. */
  readonly at: number;
  readonly rating: -1 | 0 | 1 | null;
  /** From 0 to 1, in thousandths. */
  readonly score: number | null;
  /** Null where it only names a category. */
  readonly verdict: Verdict | null;
  readonly category: FeedbackCategory | null;
  readonly tags: readonly string[];
  /** Sealed like what was said in the call, and no longer kept than that. */
  readonly comment: Pick<SealedContent, 'dayKeyId' | 'sealed' | 'expiresAt'> | null;
}

/** How often what was said of calls in a group. */
export interface FeedbackSums {
  readonly value: string;
  readonly good: number;
  readonly neither: number;
  readonly bad: number;
  /** All, those without a verdict too. */
  readonly total: number;
}

/** Stores feedback. */
export interface FeedbackStore {
  /** One of the same key for the same call replaces the one before. */
  put(feedback: Feedback): Promise<void>;
  /** Of one call, the latest first. @param keyHash Of this key alone. */
  of(accountId: string, generationId: string, keyHash?: string): Promise<readonly Feedback[]>;
  /** The latest verdict on each of some calls that have any. */
  verdicts(generationIds: readonly string[]): Promise<ReadonlyMap<string, Verdict>>;
  /** Sums of feedback in a range, most first. @param keyHash Of this key alone. */
  sums(query: {
    readonly accountId: string;
    readonly keyHash?: string | undefined;
    /** Unix milliseconds; `to` is not included. */
    readonly from: number;
    readonly to: number;
    readonly by: 'model' | 'preset' | 'category';
    readonly limit: number;
  }): Promise<readonly FeedbackSums[]>;
  /** Forgets at most `limit` comments that are too old. @returns How many. */
  prune(now: number, limit: number): Promise<number>;
}
