import type { ContentStore } from '../ports/content.ts';
import type { FeedbackStore } from '../ports/feedback.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

interface PrunerParts {
  readonly contents: Pick<ContentStore, 'prune'>;
  readonly feedback: Pick<FeedbackStore, 'prune'>;
  readonly now: () => number;
  readonly onFailure: (failure: unknown) => void;
  /** Milliseconds until the first look. */
  readonly pause?: number | undefined;
}

const firstLook = 60_000;
const usualPause = 3_600_000;
const pruneAgain = 1_000;
const prunedAtOnce = 1_000;

/**
 * Removes contents and comments that are too old, every hour (docs/spec/content.md#how-long): also where nothing is kept any
 * more, for what was kept before still goes.
 */
export function pruneContents({
  contents,
  feedback,
  now,
  onFailure,
  pause = firstLook,
}: PrunerParts): RecurringTask {
  let next = pause;
  const prune = async () => {
    try {
      // Comments first: keys of days go with the last of what needs them.
      const comments = await feedback.prune(now(), prunedAtOnce);
      const pruned = await contents.prune(now(), prunedAtOnce);
      next = Math.max(comments, pruned) < prunedAtOnce ? usualPause : pruneAgain;
    } catch (failure) {
      next = usualPause;
      onFailure(failure);
    }
  };
  return new RecurringTask(prune, () => next);
}
