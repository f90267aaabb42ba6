import type { Durations, Figures } from './measure.ts';

/** The disk space of a relation. */
export interface RelationSize {
  readonly name: string;
  readonly bytes: number;
}

/** The results of a run. */
export interface LargeDatabaseReport {
  /** Calls in the database. */
  readonly calls: number;
  /** Undefined where there are no sums by day. */
  readonly dailyRows: number | undefined;
  readonly bytes: number;
  readonly sizes: readonly RelationSize[];
  readonly figures: readonly Figures[];
}

/** The report as Markdown. */
export function formatReport({ calls, dailyRows, bytes, sizes, figures }: LargeDatabaseReport): string {
  return [
    `${count(calls)} calls, ${dailyRows === undefined ? '' : `${count(dailyRows)} sums by day, `}${gigabytes(bytes)} GB.`,
    '',
    '| milliseconds | cold, p50 | longest | warm, p50 | longest |',
    '|---|--:|--:|--:|--:|',
    ...figures.map(
      ({ name, cold, warm, failure }) =>
        `| ${name} | ${failure === undefined ? [...cells(cold), ...cells(warm)].join(' | ') : `${failure} | | |`} |`,
    ),
    '',
    ...(sizes.length === 0 ? [] : ['| table or index | GB |', '|---|--:|']),
    ...sizes.map(({ name, bytes: size }) => `| \`${name}\` | ${gigabytes(size)} |`),
    '',
  ].join('\n');
}

function cells(durations: Durations | undefined): readonly string[] {
  return durations === undefined ? ['', ''] : [milliseconds(durations.p50), milliseconds(durations.longest)];
}

function milliseconds(duration: number): string {
  return duration < 10 ? duration.toFixed(1) : count(Math.round(duration));
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}
