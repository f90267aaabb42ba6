import { shownText } from '../util/shown-text.ts';
import { type Availability, type ErrorCode, errorTable, HeadgateError } from './errors.ts';
import type { InferenceRequest } from './inference-request.ts';

/** What kind of error it is, by which code of routing.md 5.4, and what else is known. */
export interface Unavailability {
  /** Decides the status. */
  readonly error: ErrorCode;
  readonly message: string;
  readonly facts: Partial<Availability> & { readonly code: string };
}

/** Where errors are explained: `docs_url` of every availability. */
export const errorDocumentation = '/docs#errors';
const noRetry = { 'x-should-retry': 'false' };

/** A refusal that says in its metadata why no endpoint can serve (routing.md 5.4). */
export function unavailable(
  request: Pick<InferenceRequest, 'models'>,
  { error, message, facts }: Unavailability,
): HeadgateError {
  const availability: Availability = {
    retryable: false,
    requested_models: request.models.map(shownText),
    docs_url: errorDocumentation,
    ...facts,
  };
  // Of the statuses used here only a 503 looks as if trying again could help.
  const headers = errorTable[error].status === 503 ? noRetry : undefined;
  return new HeadgateError(error, message, { metadata: { availability }, headers });
}
