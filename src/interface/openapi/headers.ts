import { integer, type TSchema, text, word } from '../../util/json-schema.ts';

const header = (schema: TSchema, description: string) => ({ schema, description });

/** The headers of an answer that is not an error. */
export const answerHeaders = {
  'X-Generation-Id': header(text(), 'The id of the call, for `GET /api/v1/generation` and for the operator.'),
};

/** The further headers of what `POST /responses` answers. */
export const replayHeaders = {
  'Idempotent-Replayed': header(word(['true']), 'An answer to an earlier request with the same key.'),
  'X-Service-Left-Out': header(
    text(),
    'Types of tools that nobody can run and that were left out, with `compat.unavailable_tools: drop`.',
  ),
};

const retryAfter = header(integer(), 'Seconds after which it may succeed, where that is known.');
const noRetry = header(word(['false']), 'Sending the same again is of no use.');

/** What the headers of an error tell, by its status, besides those of every answer. */
export const errorHeaders: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': header(word(['Bearer']), 'How a request names its key.') },
  402: {
    'Retry-After': retryAfter,
    'X-Should-Retry': header(word(['true']), 'Only running requests are in its way.'),
  },
  429: {
    'Retry-After': retryAfter,
    'X-RateLimit-Limit': header(integer(), 'How many requests a limit of this service allows.'),
    'X-RateLimit-Remaining': header(integer(), 'How many of them are left.'),
    'X-RateLimit-Reset': header(integer(), 'When it begins anew, in Unix milliseconds.'),
  },
  502: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter, 'X-Should-Retry': noRetry },
  529: { 'Retry-After': retryAfter },
};
