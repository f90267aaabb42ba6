import type { Endpoint, Price } from '../core/catalogue.ts';
import type { HostedKind } from '../core/hosted.ts';
import { type NanoUsd, roundToNano, zeroUsd } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { MeasuredCall } from './measured-calls.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import { type CallSize, outputAtMost } from './worst-case-cost.ts';

/** Tokens that a picture is taken for, and a document or a sound. */
const tokensOfPicture = 1_600;
const tokensOfDocument = 2_000;

/**
 * What a call is expected to cost at an endpoint by its list, for what it holds of limits (docs/spec/money.md#held-limits):
 * tokens, the request, pictures and searches. Without measurements no cache is presumed to help, and all the output it may
 * make is counted.
 * @param measured What such calls were like.
 */
export function expectedCost(
  endpoint: Endpoint,
  prompt: MeasuredPrompt,
  size: Omit<CallSize, 'inputTokens'>,
  measured: MeasuredCall | undefined,
): NanoUsd {
  if (endpoint.price === undefined) return zeroUsd;
  const { pictures, documents, sounds } = prompt.media;
  const media = tokensOfPicture * pictures + tokensOfDocument * (documents + sounds);
  const input = prompt.tokens + media;
  const price = priceInEffect(endpoint.price, input, size.beganAt);
  const most = outputAtMost(endpoint, size);
  const cached = Math.floor(input * (measured?.cachedShare ?? 0));
  const output = measured === undefined ? most : Math.min(most, measured.output);
  return roundToNano(
    BigInt(input - cached) * price.prompt +
      BigInt(cached) * (price.cacheRead ?? price.prompt) +
      BigInt(output) * price.completion +
      piecesOf(prompt.request, pictures, price),
  );
}

/** What is paid by the piece: the request, its pictures, one that is made, and one search where it may search. */
function piecesOf(request: CanonicalRequest, pictures: number, price: Price): bigint {
  const { request: once = 0n, image = 0n, imageOutput = 0n, webSearch = 0n } = price;
  const made = imageOutput > 0n ? 1n : 0n;
  const searches = webSearch > 0n && offers(request, 'web_search') ? 1n : 0n;
  return once + BigInt(pictures) * image + made * imageOutput + searches * webSearch;
}

function offers({ tools }: CanonicalRequest, kind: HostedKind): boolean {
  return tools.some((tool) => tool.kind === 'hosted' && tool.tool === kind);
}
