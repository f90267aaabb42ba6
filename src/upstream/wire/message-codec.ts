import { createRequire } from 'node:module';
import type * as eventStreams from '@smithy/core/event-streams';

/** One binary message: named header values and a payload. */
export type WireMessage = ReturnType<eventStreams.EventStreamCodec['decode']>;

const require = createRequire(import.meta.url);

let codec: eventStreams.EventStreamCodec | undefined;

/**
 * Reads one complete message of the `application/vnd.amazon.eventstream` format and checks both checksums. The codec
 * costs 15 MB and is loaded at the first message, because most installations never receive one.
 * @throws Error when the bytes are not one intact message.
 */
export function decodeMessage(bytes: Uint8Array): WireMessage {
  codec ??= loadCodec();
  return codec.decode(bytes);
}

function loadCodec(): eventStreams.EventStreamCodec {
  const { EventStreamCodec }: typeof eventStreams = require('@smithy/core/event-streams');
  const toText = (input: Uint8Array | string) =>
    typeof input === 'string' ? input : Buffer.from(input).toString();
  return new EventStreamCodec(toText, (input) => Buffer.from(input));
}
