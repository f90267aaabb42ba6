import { HeadgateError } from '../../core/errors.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { brokenConnection, brokenStream, passedLimit, refusedCall } from '../wire/failure.ts';
import { type Behaviour, blocks, marker, type Piece, speak } from './behaviour.ts';
import { echo } from './echo.ts';
import { lastUserText, words } from './words.ts';

const failureWord = /\b(?:(?<status>[45]\d\d)|disconnect-after-(?<count>\d+)|timeout|malformed|slow)\b/;
const slowStep = 250;
const retryAfter = 1;

const help =
  'Say 400, 401, 429, 500, 503, 529 or another status, timeout, disconnect-after-N, malformed or slow, ' +
  'and the next answer fails that way.';

/** Fails as the last user text says, in the form of a real provider's failure. */
export const flaky: Behaviour = (call) => {
  const match = failureWord.exec(lastUserText(call.request) ?? '');
  if (match === null) return speak('text', blocks.text, [marker, ...words(help)]);
  const { status, count } = match.groups ?? {};
  if (status !== undefined) return refuse(call, Number(status));
  if (count !== undefined) return disconnect(call, Number(count));
  if (match[0] === 'slow') return crawl(call);
  return match[0] === 'timeout' ? keepSilent(call) : garble(call);
};

// biome-ignore lint/correctness/useYield: a failure before the first piece is what this one is for
function* refuse({ endpoint }: UpstreamCall, status: number): Iterable<Piece> {
  const message = `${marker}The last user text asked for status ${status}.`;
  throw refusedCall(endpoint.provider, status, {
    message,
    retryAfter: status === 429 ? retryAfter : undefined,
  });
}

function* keepSilent({ endpoint }: UpstreamCall): Iterable<Piece> {
  const { provider } = endpoint;
  yield { kind: 'wait', milliseconds: provider.timeouts.firstEvent };
  throw passedLimit(provider, 'firstEvent');
}

function* disconnect(call: UpstreamCall, after: number): Iterable<Piece> {
  let left = after;
  for (const piece of echo(call)) {
    if (left === 0) break;
    yield piece;
    left -= 1;
  }
  throw brokenConnection(call.endpoint.provider, true, undefined);
}

function* garble(call: UpstreamCall): Iterable<Piece> {
  yield { kind: 'text', block: blocks.text, text: marker };
  const failure = new HeadgateError('provider_failed', 'The provider sent an event that cannot be read.');
  throw brokenStream(call.endpoint.provider, failure);
}

function* crawl(call: UpstreamCall): Iterable<Piece> {
  for (const piece of echo(call)) {
    yield { kind: 'wait', milliseconds: slowStep };
    yield piece;
  }
}
