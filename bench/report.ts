import type { Figure, PartResult, Sides } from './figures.ts';
import { judge, type Verdict } from './goals.ts';
import type { Machine } from './machine.ts';

/** The results of one run. */
export interface Report {
  readonly yardstick: string;
  readonly subject: string;
  /** Whether the project's goals apply to this subject. */
  readonly isJudged: boolean;
  readonly machine: Machine;
  readonly settings: object;
  readonly startedAt: string;
  readonly seconds: number;
  readonly parts: readonly PartResult[];
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

/** The report as one JSON object. */
export function reportAsJson(report: Report): string {
  const { parts, isJudged, notes, ...rest } = report;
  return JSON.stringify({
    ...rest,
    ok: report.problems.length === 0,
    figures: parts.flatMap(({ sides, figures }) =>
      figures.map((figure) => ({ ...figure, sides, goal: isJudged ? judge(figure) : undefined })),
    ),
    notes: [...parts.flatMap((part) => part.notes), ...notes],
    phases: parts.flatMap((part) => part.phases),
  });
}

/** The report for people: a table for each kind of comparison, remarks, machine, problems. */
export function reportAsText(report: Report): string {
  const { machine } = report;
  return [
    ...tables(report),
    ...report.parts.flatMap((part) => part.notes),
    ...report.notes,
    '',
    `${machine.cores} x ${machine.cpu}, ${(machine.memoryBytes / 2 ** 30).toFixed(0)} GiB, Linux ${machine.kernel}, Node ${machine.node}`,
    `pinning: ${machine.pinning}; data on ${machine.dataFileSystem}; the run took ${report.seconds.toFixed(0)} s`,
    ...report.problems.map((problem) => `FAILED: ${problem}`),
    '',
  ].join('\n');
}

/** Parts that compare the same sides share a table. */
function tables({ parts, isJudged }: Report): readonly string[] {
  const groups = Map.groupBy(parts, ({ sides }) => `${sides.yardstick}\n${sides.subject}`);
  return [...groups.values()].flatMap((group) => {
    const third = group.find(({ sides }) => sides.third !== undefined)?.sides.third;
    const [first] = group;
    if (first === undefined || group.every(({ figures }) => figures.length === 0)) return [];
    const rows = group.flatMap(({ figures }) => figures.map((figure) => cells(figure, third, isJudged)));
    return [...alignColumns([heads({ ...first.sides, third }, isJudged), ...rows]), ''];
  });
}

function heads({ yardstick, subject, third }: Sides, isJudged: boolean): readonly string[] {
  const besides = third === undefined ? [] : [third, 'ratio'];
  return ['', yardstick, subject, 'ratio', '90 %', ...besides, 'better is', ...(isJudged ? ['goal'] : [])];
}

function cells(figure: Figure, third: string | undefined, isJudged: boolean): readonly string[] {
  const beside = figure.third === undefined ? ['', ''] : [figure.third.value, figure.third.ratio].map(number);
  return [
    `${figure.label} (${figure.unit})`,
    number(figure.yardstick),
    number(figure.subject),
    number(figure.ratio),
    figure.interval?.map(number).join(' to ') ?? '',
    ...(third === undefined ? [] : beside),
    figure.better,
    ...(isJudged ? [verdict(judge(figure), figure)] : []),
  ];
}

/** Such as `ratio 0.60: missed`. */
function verdict(judged: Verdict | undefined, { unit }: Figure): string {
  if (judged === undefined) return '';
  const wanted = {
    ratio: `ratio ${number(judged.limit)}`,
    subject: `${number(judged.limit)} ${unit}`,
    difference: `${number(judged.limit)} ${unit} more`,
  }[judged.of];
  return `${wanted}: ${judged.met ? 'met' : 'MISSED'}`;
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function number(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
