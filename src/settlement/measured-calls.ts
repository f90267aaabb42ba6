import { cachedInput, totalInput, type Usage } from '../core/usage.ts';
import { LinkedMap } from '../util/linked-map.ts';

/** Calls from which measurements count. */
const enough = 20;
/** Pairs of a key and a model that are remembered; the one that was used longest ago makes room. */
const mostPairs = 10_000;

/** What calls of one key to one model were like lately. */
export interface MeasuredCall {
  /** The part of the input that is read from a cache, 0 to 1; rather too little. */
  readonly cachedShare: number;
  /** Tokens; rather too many. */
  readonly output: number;
  /** How long a call takes, in milliseconds. */
  readonly time: number;
}

/** A running mean with the mean deviation from it. The first values count alike, later ones with a twentieth. */
class Mean {
  value = 0;
  deviation = 0;

  add(value: number, weight: number): void {
    const difference = value - this.value;
    this.value += weight * difference;
    this.deviation += weight * (Math.abs(difference) * (1 - weight) - this.deviation);
  }
}

interface Pair {
  calls: number;
  readonly cachedShare: Mean;
  readonly output: Mean;
  readonly time: Mean;
}

/**
 * Remembers what calls of keys to models were like, so that what is held of a limit comes close to what a call costs
 * (docs/spec/money.md#held-limits). Only keys that a limit concerns are remembered. A mean alone would be too little for half of
 * the calls, so the mean deviation is added to it.
 */
export class MeasuredCalls {
  readonly #pairs = new LinkedMap<string, Pair>();
  readonly #most: number;

  constructor(most = mostPairs) {
    this.#most = most;
  }

  /** Pairs that are remembered. */
  get size(): number {
    return this.#pairs.size;
  }

  /** What is known of a key and a model; undefined before there were enough calls. */
  of(keyHash: string, modelId: string): MeasuredCall | undefined {
    const pair = this.#pairs.get(nameOf(keyHash, modelId));
    if (pair === undefined || pair.calls < enough) return undefined;
    const { cachedShare, output, time } = pair;
    return {
      cachedShare: Math.max(0, cachedShare.value - cachedShare.deviation),
      output: Math.ceil(output.value + output.deviation),
      time: time.value,
    };
  }

  /** Adds a call that was answered. @param time How long it took, in milliseconds. */
  add(keyHash: string, modelId: string, usage: Usage, time: number): void {
    const name = nameOf(keyHash, modelId);
    const pair = this.#pairs.get(name) ?? {
      calls: 0,
      cachedShare: new Mean(),
      output: new Mean(),
      time: new Mean(),
    };
    pair.calls += 1;
    const weight = Math.max(1 / pair.calls, 1 / enough);
    const input = totalInput(usage) ?? 0;
    pair.cachedShare.add(input === 0 ? 0 : (cachedInput(usage) ?? 0) / input, weight);
    pair.output.add(usage.output ?? 0, weight);
    pair.time.add(time, weight);
    this.#pairs.set(name, pair);
    const { oldest } = this.#pairs;
    if (this.#pairs.size > this.#most && oldest !== undefined) this.#pairs.delete(oldest[0]);
  }
}

function nameOf(keyHash: string, modelId: string): string {
  return `${keyHash} ${modelId}`;
}
