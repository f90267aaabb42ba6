/** How far a bin's value may be from any value it stands for, as a fraction. */
const error = 0.015;
const growth = (1 + error) / (1 - error);
const logGrowth = Math.log(growth);
/** A tenth of a millisecond or a token in ten seconds: nothing measured here is usefully smaller. */
const smallest = 0.1;
const largest = 1e7;

/** The bin of a positive value. Bins grow with their values, so that each stands for its own within 1.5 %. */
export function binOf(value: number): number {
  const inside = Math.min(Math.max(value, smallest), largest);
  return Math.ceil(Math.log(inside / smallest) / logGrowth);
}

/** The value a bin stands for. */
export function valueOfBin(bin: number): number {
  return (smallest * 2 * growth ** bin) / (growth + 1);
}
