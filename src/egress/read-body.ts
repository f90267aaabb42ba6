import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { fairScheduler } from '../waiting/fair-scheduler.ts';
import { EgressFailure } from './egress-failure.ts';

/** How much larger than its coded form a body may be; small ones may be more. */
const mostExpansion = 100;
const smallBody = 1024 * 1024;

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;

/** The codings that are understood, as `Accept-Encoding` names them. */
export const acceptedCodings = 'gzip, deflate, br, zstd';

function isKnown(coding: string): coding is keyof typeof decoders {
  return Object.hasOwn(decoders, coding);
}

/**
 * Reads a body and decodes it, within bounds of its size and of its expansion (docs/spec/egress.md#bounds).
 * @param most Bytes of the decoded body.
 * @throws EgressFailure `too_large` or `unsupported`.
 */
export async function readEgressBody(
  body: AsyncIterable<Uint8Array>,
  coding: string | undefined,
  most: number,
): Promise<Uint8Array> {
  const codings = (coding ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());
  const wanted = codings.filter((word) => word !== '' && word !== 'identity');
  const [name] = wanted;
  if (wanted.length > 1 || (name !== undefined && !isKnown(name))) {
    throw new EgressFailure(
      'unsupported',
      'The server compressed its answer in a form that is not supported.',
    );
  }
  const tally = { coded: 0, decoded: 0, most };
  const counted = countCoded(body, tally);
  const collected: Uint8Array[] = [];
  if (name === undefined) await collect(counted, tally, collected);
  else {
    await pipeline(Readable.from(counted), decoders[name](), (decoded: AsyncIterable<Uint8Array>) =>
      collect(decoded, tally, collected),
    );
  }
  // A copy of megabytes takes long enough that several at once would keep everybody waiting.
  if (tally.decoded > smallBody) await fairScheduler.join();
  return Buffer.concat(collected);
}

interface Tally {
  coded: number;
  decoded: number;
  readonly most: number;
}

async function* countCoded(body: AsyncIterable<Uint8Array>, tally: Tally): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    tally.coded += chunk.length;
    yield chunk;
  }
}

async function collect(
  body: AsyncIterable<Uint8Array>,
  tally: Tally,
  collected: Uint8Array[],
): Promise<void> {
  for await (const chunk of body) {
    tally.decoded += chunk.length;
    if (tally.decoded > tally.most) {
      throw new EgressFailure('too_large', `The answer is larger than ${tally.most} bytes.`);
    }
    if (tally.decoded > smallBody && tally.decoded > tally.coded * mostExpansion) {
      throw new EgressFailure('too_large', 'The answer expands to far more than was sent.');
    }
    collected.push(chunk);
  }
}
