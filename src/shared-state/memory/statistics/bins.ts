/** The largest relative error of a bin's value. */
const error = 0.015;
const growth = (1 + error) / (1 - error);
const logGrowth = Math.log(growth);
/** A tenth of a millisecond, or one token in ten seconds: smaller measurements have no use here. */
const smallest = 0.1;
const largest = 1e7;

/** The bin of a positive value. Bins grow with their values, so that each is exact within 1.5 %. */
export function binOf(value: number): number {
  const inside = Math.min(Math.max(value, smallest), largest);
  return Math.ceil(Math.log(inside / smallest) / logGrowth);
}

/** The representative value of a bin. */
export function valueOfBin(bin: number): number {
  return (smallest * 2 * growth ** bin) / (growth + 1);
}
