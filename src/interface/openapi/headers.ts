import { integer, string, words } from './schema-parts.ts';

const header = (schema: object, description: string) => ({ schema, description });

/** The headers of an answer that is not an error. */
export const answerHeaders = {
  'X-Generation-Id': header(string, 'The id of the call, for `GET /api/v1/generation` and for the operator.'),
};

/** The headers of what `POST /responses` answers to an `Idempotency-Key`. */
export const replayHeaders = {
  'Idempotent-Replayed': header(words('true'), 'An answer to an earlier request with the same key.'),
};

const retryAfter = header(integer, 'Seconds after which it may succeed, where that is known.');
const noRetry = header(words('false'), 'Sending the same again is of no use.');

/** What the headers of an error tell, by its status, besides those of every answer. */
export const errorHeaders: Readonly<Record<number, object>> = {
  402: { 'Retry-After': retryAfter },
  429: {
    'Retry-After': retryAfter,
    'X-RateLimit-Limit': header(integer, 'How many requests a limit of this service allows.'),
    'X-RateLimit-Remaining': header(integer, 'How many of them are left.'),
    'X-RateLimit-Reset': header(integer, 'When it begins anew, in Unix milliseconds.'),
  },
  502: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter, 'X-Should-Retry': noRetry },
  529: { 'Retry-After': retryAfter },
};

/** The headers of a request by which routing goes. */
export const routingHeaders: readonly object[] = [
  {
    name: 'X-Service-Strict',
    in: 'header',
    description: 'Whether the request is refused rather than altered for a provider.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  {
    name: 'X-Session-Id',
    in: 'header',
    description: 'Requests of a session stay with one provider. session_id in the body wins.',
    schema: { type: 'string', maxLength: 256 },
  },
];

/** The headers of `POST /responses` that say something about the request itself. */
export const requestHeaders: readonly object[] = [
  {
    name: 'X-Service-Metadata',
    in: 'header',
    description: 'Whether the answer carries routing metadata.',
    schema: { type: 'string', enum: ['enabled', 'disabled'], default: 'disabled' },
  },
  ...routingHeaders,
  {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'An equal request with the same key joins or repeats the answer, and is charged once.',
    schema: { type: 'string', maxLength: 255 },
  },
];
