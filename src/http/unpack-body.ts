import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { HeadgateError } from '../core/errors.ts';
import { FairQueue } from '../waiting/fair-queue.ts';
import type { BodyRoom } from './body-budget.ts';

/** Longer than any encoding's name. */
const longestName = 40;
/** Encodings one upon the other. */
const mostEncodings = 2;
/** Bodies that are unpacked at the same time: each takes one of the few threads that names and files need as well. */
const atOnce = 2;
/** Bytes that are unpacked between two looks at the limits. */
const chunkSize = 64 * 1024;
const crowdedRetry = 1;

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize }),
};

/** A body as it came, and what limits it once it is unpacked. */
export interface PackedBody {
  readonly bytes: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** Bytes. */
  readonly limit: number;
  /** Asked for room for what is unpacked. */
  readonly room: Pick<BodyRoom, 'take'>;
  /** Whose bodies take turns with those of others. */
  readonly owner: string;
}

/**
 * Unpacks compressed bodies (docs/spec/requests.md#body), a few at a time, fair by owner. Small ones may become large ones, so
 * that what comes out is counted while it comes.
 */
export class BodyUnpacking {
  readonly #waiting = new FairQueue<PromiseWithResolvers<void>>({ pieces: 256, bytes: 64 * 1024 * 1024 });
  #running = 0;

  /**
   * The body without its encodings; the same where it has none.
   * @throws HeadgateError `invalid_request` for an encoding that is not known or not what the body is in, `payload_too_large` for
   *   what is larger than its limit, `service_unavailable` where too many wait or there is no room.
   */
  unpack(body: PackedBody): Buffer | Promise<Buffer> {
    const encodings = encodingsIn(body.headers);
    return encodings.length === 0 ? body.bytes : this.#unpackInTurn(body, encodings);
  }

  async #unpackInTurn(body: PackedBody, encodings: readonly string[]): Promise<Buffer> {
    const turn = Promise.withResolvers<void>();
    for (const other of this.#waiting.add(body.owner, turn, body.bytes.length)) other.reject(crowded());
    this.#startNext();
    await turn.promise;
    try {
      let { bytes } = body;
      // The last one was applied last.
      for (const name of encodings.toReversed()) bytes = await unpackOnce(bytes, name, body);
      return bytes;
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  #startNext(): void {
    while (this.#running < atOnce) {
      const next = this.#waiting.take(() => true);
      if (next === undefined) return;
      this.#running += 1;
      next.resolve();
    }
  }
}

function encodingsIn({ 'content-encoding': named }: IncomingHttpHeaders): readonly string[] {
  if (named === undefined) return [];
  const names = named
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name.toLowerCase() !== 'identity');
  const other = names.find((name) => !Object.hasOwn(unpackers, name.toLowerCase()));
  if (other !== undefined) {
    const name = other.length > longestName ? `${other.slice(0, longestName)}…` : other;
    const known = 'send gzip, deflate, br or zstd, or plain JSON without that header';
    throw invalid(`is sent with Content-Encoding "${name}", which is not read here; ${known}.`);
  }
  if (names.length > mostEncodings)
    throw invalid(`has ${names.length} encodings one upon the other; send it in one.`);
  return names.map((name) => name.toLowerCase());
}

function unpackOnce(packed: Buffer, name: string, { limit, room }: PackedBody): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const unpacker = unpackers[name]?.();
    if (unpacker === undefined) throw new Error(`no unpacker for ${name}`);
    const parts: Buffer[] = [];
    let length = 0;
    unpacker.on('data', (part: Buffer) => {
      length += part.length;
      try {
        if (length > limit) throw tooLarge(limit);
        room.take(part.length);
        parts.push(part);
      } catch (refusal) {
        unpacker.destroy();
        reject(refusal);
      }
    });
    unpacker.on('end', () => resolve(Buffer.concat(parts)));
    unpacker.on('error', () =>
      reject(invalid(`is sent with Content-Encoding "${name}" and is not in it, or not whole.`)),
    );
    unpacker.end(packed);
  });
}

function invalid(problem: string): HeadgateError {
  return new HeadgateError('invalid_request', `body: ${problem}`);
}

function tooLarge(limit: number): HeadgateError {
  const message = `The request body is, unpacked, larger than the ${limit} bytes this server takes.`;
  return new HeadgateError('payload_too_large', message);
}

function crowded(): HeadgateError {
  const message = 'Too many compressed bodies wait to be unpacked. Send it again, or plain.';
  return new HeadgateError('service_unavailable', message, { retryAfter: crowdedRetry });
}
