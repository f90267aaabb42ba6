import { Histogram } from './histogram.ts';

const bounds = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What was counted of one tool. */
interface ToolCounters {
  readonly calls: { ok: number; error: number };
  readonly durations: Histogram;
  /** Fees and inner turns, in nano-USD. */
  cost: number;
}

/** A call of a tool that is over. */
export interface CountedTool {
  readonly type: string;
  readonly failed: boolean;
  /** Milliseconds. */
  readonly time: number;
  /** Nano-USD. */
  readonly cost: bigint;
}

/** Counts calls of the gateway's tools by their type ids, of which there are few. */
export class CountersByTool {
  readonly #tools = new Map<string, ToolCounters>();

  add({ type, failed, time, cost }: CountedTool): void {
    const usual = { calls: { ok: 0, error: 0 }, durations: new Histogram(bounds), cost: 0 };
    const counters = this.#tools.get(type) ?? usual;
    this.#tools.set(type, counters);
    counters.calls[failed ? 'error' : 'ok'] += 1;
    counters.durations.observe(time / 1000);
    counters.cost += Number(cost);
  }

  [Symbol.iterator](): IterableIterator<[string, ToolCounters]> {
    return this.#tools.entries();
  }
}
