import { EgressFailure } from './egress-failure.ts';

/**
 * A body as a stream of at most so many bytes.
 * @param failed The failure that readers get for what went wrong.
 * @param end Called once, when the body was read or is no longer wanted.
 */
export function boundedStream(
  body: AsyncIterable<Uint8Array>,
  most: number,
  failed: (thrown: unknown) => Error,
  end: () => void,
): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let left = most;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done === true) {
          controller.close();
          return end();
        }
        left -= value.length;
        if (left < 0) throw new EgressFailure('too_large', `The answer is larger than ${most} bytes.`);
        controller.enqueue(value);
      } catch (thrown) {
        end();
        controller.error(failed(thrown));
      }
    },
    cancel: end,
  });
}
