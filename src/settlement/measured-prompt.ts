import type { CanonicalRequest } from '../core/request.ts';
import { estimateInputTokens, inputTokensAtMost, textBytesOf } from './estimate.ts';
import { type MediaCount, mediaIn } from './media-in.ts';

/** How large a request's prompt is: each figure is worked out when first asked, and once, for all who ask. */
export class MeasuredPrompt {
  readonly request: CanonicalRequest;
  #atMost: number | undefined;
  #tokens: number | undefined;
  #media: MediaCount | undefined;
  #bytes: number | undefined;

  constructor(request: CanonicalRequest) {
    this.request = request;
  }

  /** Tokens it has at most; costs next to nothing. */
  get atMost(): number {
    this.#atMost ??= inputTokensAtMost(this.request);
    return this.#atMost;
  }

  /** Tokens as estimated (docs/spec/money.md#estimates). */
  get tokens(): number {
    this.#tokens ??= estimateInputTokens(this.request);
    return this.#tokens;
  }

  /** Bytes of all its texts in UTF-8: no tokenizer makes more tokens of them. */
  get bytes(): number {
    this.#bytes ??= textBytesOf(this.request);
    return this.#bytes;
  }

  /** What it shows a model besides text. */
  get media(): MediaCount {
    this.#media ??= mediaIn(this.request);
    return this.#media;
  }
}
