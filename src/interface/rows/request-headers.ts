import { Type, text, word } from '../../util/json-schema.ts';

/** The headers of a request by which routing goes. */
export const RoutingHeaders = Type.Object({
  'X-Service-Strict': Type.Optional(
    word(['true', 'false'], {
      default: 'false',
      description: 'Whether the request is refused rather than altered for a provider.',
    }),
  ),
  'X-Session-Id': Type.Optional(
    text({
      maxLength: 256,
      description: 'Requests of a session stay with one provider. session_id in the body wins.',
    }),
  ),
});

/** The headers of `POST /responses` that say something about the request itself. */
export const RequestHeaders = Type.Object({
  'X-Service-Metadata': Type.Optional(
    word(['enabled', 'disabled'], {
      default: 'disabled',
      description: 'Whether the answer carries routing metadata.',
    }),
  ),
  ...RoutingHeaders.properties,
  'Idempotency-Key': Type.Optional(
    text({
      maxLength: 255,
      description: 'An equal request with the same key joins or repeats the answer, and is charged once.',
    }),
  ),
});
