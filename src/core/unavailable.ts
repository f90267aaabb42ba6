import { shownText } from '../util/shown-text.ts';
import { type Availability, type ErrorCode, errorTable, HeadgateError } from './errors.ts';
import { type AnyRequest, asSpelled } from './inference-request.ts';

/** The error, its code of docs/spec/errors.md#availability, and further details. */
export interface Unavailability {
  /** Decides the status. */
  readonly error: ErrorCode;
  readonly message: string;
  readonly facts: Partial<Availability> & { readonly code: string };
}

/** Where errors are documented: `docs_url` of every availability. */
export const errorDocumentation = '/docs#errors';
const noRetry = { 'x-should-retry': 'false' };

/** A refusal whose metadata says why no endpoint can serve (docs/spec/errors.md#availability). */
export function unavailable(
  request: Pick<AnyRequest, 'models' | 'spellings'>,
  { error, message, facts }: Unavailability,
): HeadgateError {
  const availability: Availability = {
    retryable: false,
    requested_models: request.models.map((slug) => shownText(asSpelled(slug, request))),
    docs_url: errorDocumentation,
    ...facts,
  };
  // Of the statuses used here, only 503 suggests that a retry could help.
  const headers = errorTable[error].status === 503 ? noRetry : undefined;
  return new HeadgateError(error, message, { metadata: { availability }, headers });
}
