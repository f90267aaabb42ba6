/** Milliseconds. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** A sliding window: its length in milliseconds and how many slots it moves in. */
export type WindowSize = readonly [length: number, slots: number];

/** One value for each window. */
export type ByWindow<Window extends string, Values> = Readonly<Record<Window, Values>>;

/** Creates one value for each window. */
export function byWindow<Window extends string, Values>(
  sizes: ByWindow<Window, WindowSize>,
  create: (length: number, slots: number) => Values,
): ByWindow<Window, Values> {
  const entries = Object.entries<WindowSize>(sizes).map(([window, size]) => [window, create(...size)]);
  return Object.fromEntries(entries) as ByWindow<Window, Values>;
}
