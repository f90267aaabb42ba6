import { crc32 } from 'node:zlib';

/**
 * One message of the `application/vnd.amazon.eventstream` format, written from its description: lengths with their
 * sum, text headers, payload, sum of it all.
 */
export function binaryMessage(headers: Readonly<Record<string, string>>, payload: string | Buffer): Buffer {
  const encoded = Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)));
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(encoded.length + body.length + 16);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(encoded.length, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  encoded.copy(bytes, 12);
  body.copy(bytes, 12 + encoded.length);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

/** An event with a JSON payload. */
export function binaryEvent(type: string, payload: unknown): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return binaryMessage(headers, JSON.stringify(payload));
}

/** A failure from the service's own vocabulary. */
export function binaryException(type: string, payload: unknown): Buffer {
  const headers = {
    ':exception-type': type,
    ':content-type': 'application/json',
    ':message-type': 'exception',
  };
  return binaryMessage(headers, JSON.stringify(payload));
}

function textHeader(name: string, value: string): Buffer {
  const key = Buffer.from(name);
  const text = Buffer.from(value);
  const header = Buffer.alloc(key.length + text.length + 4);
  header.writeUInt8(key.length, 0);
  key.copy(header, 1);
  header.writeUInt8(7, 1 + key.length);
  header.writeUInt16BE(text.length, 2 + key.length);
  text.copy(header, 4 + key.length);
  return header;
}
