import type { Delta } from '../../core/delta.ts';
import type { CanonicalRequest } from '../../core/request.ts';
import { countInput } from './words.ts';

/** Counts the output of a sandbox model, and stops it at the caller's limit. */
export class TokenCount {
  readonly #request: CanonicalRequest;
  #output = 0;
  #reasoning = 0;
  #called = false;
  #cut = false;

  constructor(request: CanonicalRequest) {
    this.#request = request;
  }

  /** Counts a delta; returns false when it exceeds the limit. */
  takes(delta: Delta): boolean {
    if (delta.kind === 'call') this.#called = true;
    if (!('text' in delta)) return true;
    if (this.#output === this.#request.maxOutputTokens) {
      this.#cut = true;
      return false;
    }
    this.#output += 1;
    if (delta.kind === 'thinking') this.#reasoning += 1;
    return true;
  }

  /** The final deltas: usage and finish. */
  ending(): Delta[] {
    const usage = {
      uncachedInput: countInput(this.#request),
      output: this.#output,
      reasoning: this.#reasoning,
    };
    const whole = this.#called ? 'tool_calls' : 'stop';
    return [
      { kind: 'usage', usage },
      { kind: 'finish', reason: this.#cut ? 'length' : whole },
    ];
  }
}
