import { nanoFromInteger } from '../../core/money.ts';
import { verdicts } from '../../ports/feedback.ts';
import { integer, type Static, Type, text, word } from '../../util/json-schema.ts';
import { moment, queryFlag } from '../parts.ts';

const maybe = Type.Optional;
const day = 86_400_000;

/** The range of time that is asked for. */
export const range = { from: maybe(moment), to: maybe(moment) };

/** Filters that sums know. */
export const sumFilters = {
  key: maybe(text({ description: 'The hash of a key' })),
  workspace: maybe(text()),
  model: maybe(text({ description: 'A model, or a beginning such as acme/*' })),
  provider: maybe(text()),
  endpoint: maybe(text()),
  error: maybe(text({ description: 'A type of error' })),
  outcome: maybe(word(['ok', 'failed', 'cancelled'])),
};

const SumFilters = Type.Object(sumFilters);

/** Further filters, which only the records of calls know. */
const callFilters = {
  streamed: maybe(queryFlag()),
  own_credential: maybe(queryFlag()),
  fallback: maybe(queryFlag('More than one endpoint was asked')),
  unpriced: maybe(queryFlag()),
  estimated: maybe(queryFlag()),
  min_cost_nano: maybe(integer({ minimum: 0 })),
  min_total_ms: maybe(integer({ minimum: 0 })),
  min_first_token_ms: maybe(integer({ minimum: 0 })),
  min_tokens: maybe(integer({ minimum: 0 })),
  session: maybe(text()),
  request: maybe(text()),
  user: maybe(text()),
  app: maybe(text()),
  status: maybe(integer({ minimum: 100, maximum: 599, description: 'The HTTP status of the last attempt' })),
  requested_model: maybe(text({ description: 'As requests named it, or a beginning such as acme/*' })),
  router: maybe(text({ description: 'The router that chose the model' })),
  preset: maybe(text({ description: 'The slug of a preset' })),
  rating: maybe(word([...verdicts], { description: 'What was said of them: see POST /generation/feedback' })),
};

const CallFiltersQuery = Type.Object(callFilters);

/** Which calls a list holds. */
export const listFilters = {
  ...range,
  ...sumFilters,
  outcome: maybe(word(['ok', 'failed', 'cancelled', 'refused'])),
  ...callFilters,
};

const ListFilters = Type.Object(listFilters);

/** The last 24 hours where nothing else is asked. */
export function rangeOf({ from, to }: { from?: number; to?: number }, now: number) {
  const end = to ?? now + 1;
  return { from: from ?? end - day, to: end };
}

/** Refused requests are listed like failed ones, unless another outcome is asked for. */
function refusedToo(outcome: string | undefined): 'too' | 'only' | 'never' {
  if (outcome === undefined) return 'too';
  return outcome === 'refused' ? 'only' : 'never';
}

type Outcome = { readonly outcome?: 'ok' | 'failed' | 'cancelled' | 'refused' };

/** Of what is asked for, what sums know. */
export function readSumFilters(query: Omit<Static<typeof SumFilters>, 'outcome'> & Outcome) {
  const { outcome } = query;
  return {
    keyHash: query.key,
    workspaceId: query.workspace,
    model: query.model,
    provider: query.provider,
    endpoint: query.endpoint,
    errorType: query.error,
    failed: outcome === 'ok' ? false : outcome === 'failed' ? true : undefined,
  };
}

function readCallFilters(query: Static<typeof CallFiltersQuery> & Outcome) {
  const { outcome } = query;
  return {
    // A call that failed counts as that, whether its client stayed or not.
    cancelled: outcome === 'cancelled' ? true : outcome === 'ok' ? false : undefined,
    streamed: query.streamed,
    own: query.own_credential,
    fallback: query.fallback,
    unpriced: query.unpriced,
    estimated: query.estimated,
    minCost: query.min_cost_nano === undefined ? undefined : nanoFromInteger(query.min_cost_nano),
    minTotalTime: query.min_total_ms,
    minFirstToken: query.min_first_token_ms,
    minTokens: query.min_tokens,
    sessionId: query.session,
    requestId: query.request,
    externalUser: query.user,
    appTitle: query.app,
    status: query.status,
    requestedModel: query.requested_model,
    router: query.router,
    preset: query.preset?.toLowerCase(),
    verdict: query.rating,
  };
}

/** Which calls are asked for. @param now Unix milliseconds. */
export function readListFilters(query: Static<typeof ListFilters>, now: number) {
  return {
    range: rangeOf(query, now),
    filters: readSumFilters(query),
    calls: readCallFilters(query),
    refused: refusedToo(query.outcome),
  };
}
