import { apiBase } from '../../edge/route.ts';
import { feedbackCategories, type Verdict, verdicts } from '../../ports/feedback.ts';
import { malformed } from '../../schema/fault.ts';
import { isoTime } from '../../util/iso-time.ts';
import {
  flag,
  integer,
  list,
  marked,
  named,
  nullOr,
  number,
  orNull,
  type Static,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import { answerOf, closed } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import { range, rangeOf } from '../usage/call-filters.ts';
import { feedbackOf, feedbackSums, giveFeedback, type ReadFeedback } from './feedback.ts';

const maybe = Type.Optional;
const shared = { access: 'key', needs: 'feedback', reachesDatabase: true } as const;
const path = `${apiBase}/generation/feedback`;

/** The body of `POST /generation/feedback`. */
const GiveFeedback = named(
  'GiveFeedback',
  Type.Object(
    {
      id: maybe(text({ minLength: 1, maxLength: 400, description: 'The call, or name it generation_id' })),
      generation_id: maybe(text({ minLength: 1, maxLength: 400 })),
      rating: maybe(integer({ minimum: -1, maximum: 1, description: '-1, 0 or 1' })),
      score: maybe(number({ minimum: 0, maximum: 1, description: 'In place of rating' })),
      category: maybe(word([...feedbackCategories])),
      comment: maybe(text({ minLength: 1, maxLength: 1_000 })),
      tags: maybe(list(text({ minLength: 1, maxLength: 64 }), { maxItems: 10 })),
    },
    closed,
  ),
);

const FeedbackSchema = named(
  'Feedback',
  Type.Object({
    key_hash: text(),
    at: text(),
    rating: orNull(integer()),
    score: orNull(number()),
    verdict: Type.Unsafe<Verdict | null>(nullOr(word([...verdicts]))),
    category: orNull(text()),
    comment: orNull(text({ description: 'Null too once it is no longer kept' })),
    tags: list(text()),
  }),
);

const FeedbackList = named('FeedbackList', Type.Object({ data: list(FeedbackSchema) }));

const Sums = named(
  'FeedbackSums',
  Type.Object({
    data: list(
      Type.Object({
        value: text(),
        good: integer(),
        neither: integer(),
        bad: integer(),
        total: integer({ description: 'All, those that only name a category too' }),
      }),
    ),
  }),
);

/** What keys think of calls (docs/spec/feedback.md). */
export const feedbackRows: readonly Row[] = [
  jsonRow({
    ...shared,
    method: 'POST',
    path,
    id: 'submitGenerationFeedback',
    summary: 'Say what you think of a call; what the key said of it before is replaced',
    failures: ['not_found'],
    body: GiveFeedback,
    answer: answerOf('FeedbackTaken', Type.Object({ success: flag() })),
    handle: async ({ actor, body }, services) => {
      const { generation_id: generationId, id = generationId, ...said } = body;
      if (id === undefined) throw malformed('id', 'name the generation, as X-Generation-Id told it');
      const given = { ...said, rating: ratingOf(said), id };
      await giveFeedback(actor, given, services, services.config.contentLogging.keepDays);
      return { data: { success: true } };
    },
  }),
  jsonRow({
    ...shared,
    method: 'GET',
    path,
    id: 'listGenerationFeedback',
    summary: 'What was said of a call, the latest first; a key of inference sees what itself said',
    failures: ['not_found'],
    query: Type.Object({
      id: marked(text({ minLength: 1, maxLength: 400 }), {
        wording: { missing: 'name the generation, as X-Generation-Id told it' },
      }),
    }),
    answer: FeedbackList,
    handle: async ({ actor, query: { id } }, services) => ({
      data: (await feedbackOf(actor, id, services)).map(showFeedback),
    }),
  }),
  jsonRow({
    ...shared,
    method: 'GET',
    path: `${apiBase}/feedback`,
    id: 'getFeedbackSums',
    summary: 'How often calls were said to be good or bad, by model, preset or category',
    query: Type.Object({
      ...range,
      by: word(['model', 'preset', 'category'], { default: 'model' }),
    }),
    answer: Sums,
    handle: async ({ actor, query }, services) => ({
      data: await feedbackSums(actor, { ...rangeOf(query, services.clock.now()), by: query.by }, services),
    }),
  }),
];

function ratingOf({ rating }: Pick<Static<typeof GiveFeedback>, 'rating'>): -1 | 0 | 1 | undefined {
  return rating === undefined ? undefined : rating > 0 ? 1 : rating < 0 ? -1 : 0;
}

function showFeedback({ keyHash, at, score, ...one }: ReadFeedback): Static<typeof FeedbackSchema> {
  return {
    key_hash: keyHash,
    at: isoTime(at),
    rating: one.rating,
    score: score === null ? null : score / 1_000,
    verdict: one.verdict,
    category: one.category,
    comment: one.comment,
    tags: one.tags,
  };
}
