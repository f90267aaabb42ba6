import type { Delta, FinishReason, ServedTier } from '../core/delta.ts';
import type { Usage } from '../core/usage.ts';
import { countTokens } from '../util/count-tokens.ts';
import { isObject } from '../util/json.ts';

/** How much of what was written is kept to tell how long its tokens are, in UTF-16 units. */
const sampleLength = 1024;

/** Watches a call's deltas go by and remembers what the books need. */
export class Meter {
  /** As the provider last reported it; undefined until it does. */
  usage: Usage | undefined;
  upstreamId: string | undefined;
  tier: ServedTier | undefined;
  finishReason: FinishReason | undefined;
  nativeFinishReason: string | undefined;
  /** Pictures in the answer. */
  pictures = 0;
  /** Searches that the answer shows. */
  searches = 0;
  /** Characters of speech, in base64. */
  speech = 0;
  /** Bytes of everything generated, in UTF-8. */
  bytes = 0;
  /** Whether any reasoning was seen, sealed or not. */
  thought = false;
  /** UTF-16 units of everything generated. */
  #length = 0;
  #sample = '';
  #hasVectors = false;

  /** Whether nothing at all was generated. */
  get silent(): boolean {
    return this.#length === 0 && this.pictures === 0 && !this.#hasVectors;
  }

  /** Reads one batch. */
  watch(deltas: readonly Delta[]): void {
    for (const delta of deltas) this.#read(delta);
  }

  /** About how many tokens were generated, for when the provider does not tell. */
  estimateOutputTokens(): number {
    if (this.#length === 0) return 0;
    return Math.ceil((countTokens(this.#sample) * this.#length) / this.#sample.length);
  }

  #read(delta: Delta): void {
    switch (delta.kind) {
      case 'thinking':
      case 'summary':
        this.thought = true;
        this.#wrote(delta.text);
        return;
      case 'seal':
        this.thought = true;
        return;
      case 'text':
      case 'refusal':
      case 'arguments':
      case 'fragment':
        this.#wrote(delta.text);
        return;
      case 'call':
        this.#wrote(delta.name);
        return;
      case 'result':
        // A picture is the one result of a hosted tool that is a string.
        if (delta.failed === true) return;
        if (typeof delta.fields.result === 'string') this.pictures += 1;
        else if (isObject(delta.fields.action) && delta.fields.action.type === 'search') this.searches += 1;
        return;
      case 'audio':
        this.speech += delta.data?.length ?? 0;
        this.#wrote(delta.transcript ?? '');
        return;
      case 'embedding':
        this.#hasVectors = true;
        return;
      case 'usage':
        this.usage = delta.usage;
        return;
      case 'start':
        this.upstreamId = delta.upstreamId;
        return;
      case 'tier':
        this.tier = delta.tier;
        return;
      case 'finish':
        this.finishReason = delta.reason;
        this.nativeFinishReason = delta.native;
    }
  }

  #wrote(text: string): void {
    this.bytes += Buffer.byteLength(text);
    this.#length += text.length;
    if (this.#sample.length < sampleLength) this.#sample += text;
  }
}
