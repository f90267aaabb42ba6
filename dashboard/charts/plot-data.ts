/** One group of a chart. Values are for drawing only; what is read comes from `text` and `exact`. */
export interface PlotSeries {
  readonly label: string;
  /** 1 to 6 of the palette; 0 for all others. */
  readonly tone: number;
  /** Drawn dashed: what is expected rather than known. */
  readonly isExpected?: true;
  /** Drawn as steps: a value holds until the next one. */
  readonly isStepped?: true;
  /** Drawn thin: something to compare with. */
  readonly isThin?: true;
  /** A share of what the bars count: a line over them, with an axis of its own. */
  readonly isRate?: true;
  /** How strong its colour is at a step of a heat map, from 1 on. */
  readonly level?: (index: number) => number;
  /** Undefined where there is none: a gap. */
  readonly values: readonly (number | undefined)[];
  readonly text: (index: number) => string;
  /** The same with every digit, for files. */
  readonly exact: (index: number) => string;
}

/** What a chart shows. */
export interface PlotData {
  /** When each step begins. */
  readonly starts: readonly string[];
  readonly bucket: string;
  readonly zone: string;
  readonly series: readonly PlotSeries[];
  /** Formats values of the axis. */
  readonly axis: (value: number) => string;
  /** Whether values are what is there, such as a balance: the axis begins at zero, and zero is a value like any other. */
  readonly isLevel?: true;
  /** Where the axis ends; undefined where the highest value decides. */
  readonly most?: number;
  /** Whether the last step is not over yet. */
  readonly isPartial: boolean;
  /** A text of all groups of a step; undefined where they are not to be added. */
  readonly total?: (index: number) => string;
}

/** The groups that have something to say about a step. */
export function shownAt({ series, isLevel }: PlotData, index: number): readonly PlotSeries[] {
  return series.filter(({ values }) => (isLevel ? values[index] !== undefined : (values[index] ?? 0) !== 0));
}

/** A value and everything below it, for bars that stand on each other. */
export interface Stacked {
  readonly tone: number;
  readonly from: number;
  readonly to: number;
}

/** The bars of one step, from the bottom up. */
export function stackOf(series: readonly PlotSeries[], index: number): readonly Stacked[] {
  let height = 0;
  return series.flatMap(({ tone, values, isRate }) => {
    const value = values[index] ?? 0;
    if (value <= 0 || isRate) return [];
    const from = height;
    height += value;
    return [{ tone, from, to: height }];
  });
}

/** The largest value that has to fit. */
export function highest(series: readonly PlotSeries[], steps: number, isStacked: boolean): number {
  const counted = series.filter(({ isRate }) => !isRate);
  let most = 0;
  for (let index = 0; index < steps; index += 1) {
    const values = counted.map(({ values: all }) => all[index] ?? 0);
    const height = isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
    most = Math.max(most, height);
  }
  return most;
}

/** The places of values between two gaps: they have no line, so each is a dot. */
export function lonelyPlaces(values: PlotSeries['values']): readonly number[] {
  return values.flatMap((value, index) =>
    value !== undefined && values[index - 1] === undefined && values[index + 1] === undefined ? [index] : [],
  );
}

/** The smallest value above zero; undefined without any. */
export function lowest(series: readonly PlotSeries[]): number | undefined {
  const values = series.flatMap(({ values: all }) => all.filter((value) => value !== undefined && value > 0));
  return values.length === 0 ? undefined : Math.min(...(values as number[]));
}

/** The same series with every value added to those before it. */
export function cumulative(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

/** Which steps have a label below them: as many as fit, at even distances. */
export function labelledSteps(count: number, width: number, space: number): readonly number[] {
  const fits = Math.max(1, Math.floor(width / space));
  const every = Math.max(1, Math.ceil(count / fits));
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}

/** Gives each group a colour that it keeps as long as the map lives. */
export function toneOf(known: Map<string, number>, value: string | null): number {
  if (value === null) return 0;
  const found = known.get(value);
  if (found !== undefined) return found;
  const used = new Set(known.values());
  const free = [1, 2, 3, 4, 5, 6].find((tone) => !used.has(tone));
  const tone = free ?? 1 + (known.size % 6);
  known.set(value, tone);
  return tone;
}
