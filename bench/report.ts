import type { PartResult } from './figures.ts';
import type { Machine } from './machine.ts';

/** Everything one run found. */
export interface Report {
  readonly yardstick: string;
  readonly subject: string;
  readonly machine: Machine;
  readonly settings: object;
  readonly startedAt: string;
  readonly seconds: number;
  readonly parts: readonly PartResult[];
  readonly problems: readonly string[];
}

/** The report as one JSON object. */
export function reportAsJson(report: Report): string {
  const { parts, ...rest } = report;
  return JSON.stringify({
    ...rest,
    ok: report.problems.length === 0,
    figures: parts.flatMap((part) => part.figures),
    notes: parts.flatMap((part) => part.notes),
    phases: parts.flatMap((part) => part.phases),
  });
}

/** The report for people: table, remarks, machine, problems. */
export function reportAsText(report: Report): string {
  const figures = report.parts.flatMap((part) => part.figures);
  const rows = [
    ['', report.yardstick, report.subject, 'ratio', 'better is'],
    ...figures.map((figure) => [
      `${figure.label} (${figure.unit})`,
      number(figure.yardstick),
      number(figure.subject),
      number(figure.ratio),
      figure.better,
    ]),
  ];
  const { machine } = report;
  return [
    ...alignColumns(rows),
    '',
    ...report.parts.flatMap((part) => part.notes),
    '',
    `${machine.cores} x ${machine.cpu}, ${(machine.memoryBytes / 2 ** 30).toFixed(0)} GiB, Linux ${machine.kernel}, Node ${machine.node}`,
    `pinning: ${machine.pinning}; data on ${machine.dataFileSystem}; the run took ${report.seconds.toFixed(0)} s`,
    ...report.problems.map((problem) => `FAILED: ${problem}`),
    '',
  ].join('\n');
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}

function number(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toFixed(digits);
}
