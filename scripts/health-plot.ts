/** Draws docs/routing-health.svg from the simulated hour that test/routing/health-hour.test.ts checks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Hour,
  type Kind,
  kinds,
  type Observation,
  phases,
  playHour,
  prices,
  type Slug,
} from '../test/routing/health-hour.ts';

const minute = 60_000;
/** The time of one column of the plot. */
const step = minute / 2;
const columns = (60 * minute) / step;

const left = 60;
const width = 840;
const panel = { height: 170, gap: 46, top: 64 };
const strip = 14;

const slugs = Object.keys(prices) as Slug[];
const colours: Readonly<Record<Slug, string>> = { north: '#2f6db3', south: '#e0a030', east: '#6a9a58' };
const rankColours = ['#6a9a58', '#e8d060', '#e08030', '#b03030'];
const titles: Readonly<Record<Kind, string>> = {
  any: 'Requests without a wish: balanced by price and health',
  prompt: 'Requests with preferred_max_latency 1.5 s',
};

const x = (at: number) => left + (at / (60 * minute)) * width;
const round = (value: number) => Math.round(value * 10) / 10;
const text = (atX: number, atY: number, words: string, more = '') =>
  `<text x="${round(atX)}" y="${round(atY)}" ${more}>${words}</text>`;
const box = (atX: number, atY: number, wide: number, high: number, fill: string) =>
  `<rect x="${round(atX)}" y="${round(atY)}" width="${round(wide)}" height="${round(high)}" fill="${fill}"/>`;

/** The plot as SVG. */
function renderHealthPlot(hour: Hour): string {
  const bottom = panel.top + kinds.length * (panel.height + panel.gap);
  const height = bottom + strip + 44;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 20} ${height}" font-family="sans-serif" font-size="11"><title>Shares of traffic over a simulated hour</title>`,
    box(0, 0, left + width + 20, height, '#ffffff'),
    text(left, 20, 'Which provider is asked first while "north" slows, fails and limits', 'font-size="14"'),
    legend(),
    ...phases.flatMap((phase) => phaseLines(phase, bottom)),
    ...kinds.flatMap((kind, index) => panelOf(hour, kind, panel.top + index * (panel.height + panel.gap))),
    ranks(hour, bottom),
    axis(bottom + strip),
    '</svg>',
    '',
  ].join('\n');
}

function legend(): string {
  return slugs
    .map((slug, index) => {
      const at = left + 560 + index * 100;
      return box(at, 11, 10, 10, colours[slug]) + text(at + 14, 20, `${slug}, ${prices[slug]} USD`);
    })
    .join('');
}

function phaseLines({ name, from, until }: (typeof phases)[number], bottom: number): string[] {
  const [start, end] = [x(from * minute), x(until * minute)];
  const line = `<line x1="${round(start)}" x2="${round(start)}" y1="${panel.top - 18}" y2="${bottom + strip}" stroke="#999" stroke-dasharray="2 3"/>`;
  const [first, second] = name.split(', ');
  const middle = (start + end) / 2;
  const centred = 'text-anchor="middle" fill="#333"';
  const upper = second === undefined ? [] : [text(middle, panel.top - 20, second, centred)];
  return [line, text(middle, panel.top - (second === undefined ? 20 : 32), first ?? name, centred), ...upper];
}

/** The shares of first choices, stacked, the cheapest at the bottom. */
function panelOf(hour: Hour, kind: Kind, top: number): string[] {
  const byColumn = group(hour.observations.filter((seen) => seen.kind === kind));
  const areas = slugs.map((slug, index) => {
    const upTo = (count: number) =>
      byColumn.map((seen) => {
        const below = seen.filter(({ first }) => slugs.indexOf(first) < count).length;
        return top + panel.height * (1 - below / Math.max(seen.length, 1));
      });
    return area(upTo(index), upTo(index + 1), colours[slug]);
  });
  const labels = [0, 50, 100].map((percent) =>
    text(left - 6, top + panel.height * (1 - percent / 100) + 4, `${percent} %`, 'text-anchor="end"'),
  );
  return [...areas, ...labels, text(left, top + panel.height + 16, titles[kind])];
}

function area(lower: readonly number[], upper: readonly number[], fill: string): string {
  const points = (edge: readonly number[]) =>
    edge.flatMap((y, column) => [
      `${round(x(column * step))},${round(y)}`,
      `${round(x((column + 1) * step))},${round(y)}`,
    ]);
  return `<polygon fill="${fill}" points="${[...points(upper), ...points(lower).reverse()].join(' ')}"/>`;
}

/** The worst rank of "north" in each column. */
function ranks(hour: Hour, top: number): string {
  const boxes = group(hour.observations).map((seen, column) => {
    const worst = Math.max(...seen.map((one) => one.ranks.north));
    return box(x(column * step), top, width / columns + 0.1, strip, rankColours[worst] ?? '');
  });
  return boxes.join('') + text(left - 6, top + 11, 'rank', 'text-anchor="end"');
}

function axis(top: number): string {
  const marks = Array.from({ length: 13 }, (_, index) =>
    text(x(index * 5 * minute), top + 16, `${index * 5} min`, 'text-anchor="middle"'),
  );
  const words = ['0 healthy', '1 uptime under 95 %', '2 outage or 429', '3 uptime under 80 %'];
  const key = words.map((word, rank) => {
    const at = left + rank * 150;
    return box(at, top + 24, 10, 10, rankColours[rank] ?? '') + text(at + 14, top + 33, word);
  });
  return [...marks, ...key].join('');
}

function group(observations: readonly Observation[]): Observation[][] {
  const byColumn: Observation[][] = Array.from({ length: columns }, () => []);
  for (const seen of observations) byColumn[Math.floor(seen.at / step)]?.push(seen);
  return byColumn;
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../docs/routing-health.svg');
  writeFileSync(file, renderHealthPlot(await playHour()));
}
