/** Draws docs/auto-week.svg: what `service/auto` picked in the simulated week that test/routers/auto-week.test.ts checks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  playWeek,
  type WeekModel,
  type WeekRequest,
  type WeekTask,
  weekEvents,
  weekModels,
  weekTasks,
} from '../test/routers/auto-week.ts';
import { svgBox, svgMark, svgText } from './svg.ts';

const hours = 7 * 24;
/** The hours of one column. */
const step = 4;
const left = 60;
const width = 840;
const panel = { height: 120, gap: 44, top: 70 };
const colours: Readonly<Record<WeekModel, string>> = {
  tiny: '#b9d5ee',
  small: '#2f6db3',
  middle: '#e0a030',
  large: '#6a9a58',
  huge: '#555555',
  fresh: '#b03030',
};
const names = Object.keys(weekModels) as readonly WeekModel[];
const tasks = Object.keys(weekTasks) as readonly WeekTask[];

const x = (hour: number) => left + (hour / hours) * width;

/** The plot as SVG. */
function render(week: readonly WeekRequest[]): string {
  const bottom = panel.top + tasks.length * (panel.height + panel.gap);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 20} ${bottom + 10}" font-family="sans-serif" font-size="11"><title>Models that service/auto picked over a simulated week</title>`,
    svgBox(0, 0, left + width + 20, bottom + 10, '#ffffff'),
    svgText(left, 20, 'Which model answers requests to service/auto', 'font-size="14"'),
    legend(),
    ...tasks.map((task, place) => panelOf(week, task, panel.top + place * (panel.height + panel.gap))),
    ...Object.values(weekEvents).map(({ hour, words }, place) => eventAt(hour, words, place, bottom)),
    '</svg>',
    '',
  ].join('\n');
}

function legend(): string {
  return names
    .map((name, place) => {
      const at = left + 330 + place * 88;
      return svgBox(at, 11, 10, 10, colours[name]) + svgText(at + 14, 20, `${name}, ${weekModels[name]} USD`);
    })
    .join('');
}

function eventAt(hour: number, words: string, place: number, bottom: number): string {
  const y = place % 2 === 0 ? 42 : 56;
  return svgMark(x(hour), y + 4, bottom - panel.gap) + svgText(x(hour), y, words, 'fill="#333"');
}

/** The shares of one task, stacked, a column for each step. */
function panelOf(week: readonly WeekRequest[], task: WeekTask, top: number): string {
  const own = week.filter((seen) => seen.task === task);
  const columns = Array.from({ length: hours / step }, (_, column) => {
    const seen = own.filter(({ hour }) => Math.floor(hour / step) === column);
    let y = top + panel.height;
    return names.map((name) => {
      const share = seen.filter(({ answered }) => answered === name).length / Math.max(seen.length, 1);
      y -= share * panel.height;
      return share === 0
        ? ''
        : svgBox(x(column * step), y, width / (hours / step) + 0.2, share * panel.height, colours[name]);
    });
  });
  const labels = [0, 50, 100].map((percent) =>
    svgText(left - 6, top + panel.height * (1 - percent / 100) + 4, `${percent} %`, 'text-anchor="end"'),
  );
  const days = Array.from({ length: 7 }, (_, day) =>
    svgText(x(day * 24 + 12), top + panel.height + 14, `day ${day + 1}`, 'text-anchor="middle"'),
  );
  return [...columns.flat(), ...labels, ...days, svgText(left, top - 5, task)].join('');
}

if (import.meta.main) {
  const seed = Number(process.argv[2] ?? 1);
  const file = join(import.meta.dirname, '../docs/auto-week.svg');
  writeFileSync(file, render(await playWeek(seed)));
}
