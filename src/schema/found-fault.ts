/** A fault in words: the way to it from the value looked at, and what is wrong and allowed there. */
export interface Fault {
  /** Keys and indices, outermost first. */
  readonly steps: (string | number)[];
  readonly problem: string;
  /** What was given instead; left out of messages about values that must not be shown. */
  readonly got?: string | number;
}

/** Finds the first place where a value breaks its schema; undefined when it fits. */
export type FaultFinder = (value: unknown) => Fault | undefined;

/** A fault of the value looked at itself. */
export function fault(problem: string, got?: string | number): Fault {
  return { steps: [], problem, got };
}

/** A fault found one level further in. */
export function within(found: Fault, step: string | number): Fault {
  found.steps.unshift(step);
  return found;
}

/** The words of a fault, with what was given. */
export function wordsOf({ problem, got }: Fault): string {
  return got === undefined ? problem : `${problem}, got ${got}`;
}
