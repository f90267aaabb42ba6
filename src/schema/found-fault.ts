/** A fault in words: the way to it from the value looked at, and what is wrong and allowed there. */
export interface Fault {
  /** Keys and indices, outermost first. */
  readonly steps: (string | number)[];
  readonly problem: string;
}

/** Finds the first place where a value breaks its schema; undefined when it fits. */
export type FaultFinder = (value: unknown) => Fault | undefined;

/** A fault of the value looked at itself. */
export function fault(problem: string): Fault {
  return { steps: [], problem };
}

/** A fault found one level further in. */
export function within(found: Fault, step: string | number): Fault {
  found.steps.unshift(step);
  return found;
}
