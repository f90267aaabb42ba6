import type { Delta, FinishReason, ServedTier } from '../core/delta.ts';
import type { Usage } from '../core/usage.ts';

/** Watches a call's deltas go by and remembers what the books need. */
export class Meter {
  /** As the provider last reported it; undefined until it does. */
  usage: Usage | undefined;
  upstreamId: string | undefined;
  tier: ServedTier | undefined;
  finishReason: FinishReason | undefined;
  nativeFinishReason: string | undefined;
  /** UTF-8 bytes of everything generated, for when no usage comes. */
  outputBytes = 0;

  /** Reads one batch. */
  watch(deltas: readonly Delta[]): void {
    for (const delta of deltas) this.#read(delta);
  }

  #read(delta: Delta): void {
    switch (delta.kind) {
      case 'text':
      case 'refusal':
      case 'thinking':
      case 'summary':
      case 'arguments':
        this.outputBytes += Buffer.byteLength(delta.text);
        return;
      case 'call':
        this.outputBytes += Buffer.byteLength(delta.name);
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
}
