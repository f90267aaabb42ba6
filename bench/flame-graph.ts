import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, callTree } from './call-tree.ts';
import {
  fileOf,
  isNodes,
  type Profile,
  type ProfileNode,
  placeOf,
  type Span,
  stageOf,
} from './cpu-profile.ts';
import { type FlameBox, flameBoxes } from './flame-boxes.ts';
import { add, timesByStage } from './profile-stages.ts';
import type { ProfiledPart } from './profiled-parts.ts';

/** What a flame graph is headed with. */
export interface FlameTitle {
  readonly gateway: string;
  /** The load it was under. */
  readonly part: string;
  /** Requests answered during the spans. */
  readonly answers: number;
}

/** No picture is larger, in bytes. */
export const largestPicture = 150_000;

/** Light enough for dark letters; stages without one share that of `others`. */
const colours: ReadonlyMap<string, string> = new Map([
  ['edge', '#86c5ec'],
  ['pipeline', '#ffd35c'],
  ['routing', '#b5dd6b'],
  ['upstream', '#f7a662'],
  ['dialects', '#c9b0f4'],
  ['settlement', '#ff9fb4'],
  ['storage', '#6fd0b0'],
  ['other parts', '#d6bf8f'],
  ['libraries', '#a3afc2'],
  ['node', '#cbd3de'],
  ['native', '#eceff4'],
  ['garbage collector', '#b59a8c'],
]);
const others = 'other parts';

const width = 1200;
const margin = 10;
const rowHeight = 17;
const firstRow = 92;
const legend = { top: 38, columns: 6, rowHeight: 16 };
/** Of the boxes' letters, in pixels; fonts differ, so boxes clip their text besides. */
const letterWidth = 6.65;

/** Writes `flame-<gateway>-<part>.svg` for the main thread of each part, and returns the files' names. */
export function writeFlameGraphs(directory: string, parts: readonly ProfiledPart[]): readonly string[] {
  return parts.flatMap((part) => {
    const main = part.threads.find(({ thread }) => thread === 0);
    if (main === undefined) return [];
    const name = `${part.gateway} ${part.part}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const file = join(directory, `flame-${name}.svg`);
    writeFileSync(file, flameGraph(part, main.profile, part.spans));
    return [file];
  });
}

/**
 * Draws where a thread was busy during the spans, as SVG that needs no script and no font: callers above what they
 * call, widths by time, colours by stage. Functions of Node that call each other share a box that bears the name of
 * the first, and a function that calls itself is one box. The narrowest boxes give way until the picture is at most
 * `largestPicture`.
 */
export function flameGraph(title: FlameTitle, profile: Profile, spans: readonly Span[]): string {
  const root = callTree(profile, spans, sharesBox);
  const ownTimes = new Map<string, number>();
  for (const [stage, time] of timesByStage(profile, spans).itself) add(ownTimes, kindOf(stage), time);
  for (let leastWidth = 2; ; leastWidth *= 1.25) {
    const boxes = flameBoxes(root, width, leastWidth);
    const picture = draw(title, root.time, ownTimes, boxes);
    if (Buffer.byteLength(picture) <= largestPicture) return picture;
  }
}

function sharesBox(node: ProfileNode, caller: ProfileNode): boolean {
  return placeOf(node) === placeOf(caller) || (isNodes(node) && isNodes(caller));
}

/** A stage that has a colour. */
function kindOf(stage: string): string {
  return colours.has(stage) ? stage : others;
}

function draw(
  { gateway, part, answers }: FlameTitle,
  total: number,
  ownTimes: ReadonlyMap<string, number>,
  boxes: readonly FlameBox[],
): string {
  const rows = boxes.reduce((most, { row }) => Math.max(most, row), 0) + 1;
  const size = `0 0 ${width + 2 * margin} ${firstRow + rows * rowHeight + margin}`;
  const perRequest = (time: number) => (time / answers).toFixed(1);
  const heading = escapeXml(
    `${gateway}, ${part}: ${perRequest(total)} µs a request on the main thread (${answers.toLocaleString('en-US')} requests)`,
  );
  const legendEntries = [...colours.keys()].map((kind, at) =>
    drawLegendEntry(kind, `${kind} ${perRequest(ownTimes.get(kind) ?? 0)}`, at),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${size}" font-family="monospace" font-size="11" fill="#16191d">`,
    `<title>${heading}</title>`,
    `<style>${styles()}</style>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${margin}" y="24" font-family="sans-serif" font-size="16">${heading}</text>`,
    ...legendEntries,
    `<text x="${margin}" y="${firstRow - 8}" font-family="sans-serif" fill="#555c66">${explanation}</text>`,
    ...boxes.map((box) => drawBox(box, `${perRequest(box.time)} µs a request, ${percent(box.time, total)}`)),
    '</svg>',
    '',
  ].join('\n');
}

const explanation =
  'Callers stand above what they call. A box is as wide as the time it took with what it called. ' +
  'Beside the colours: µs a request in the code of a stage itself.';

function styles(): string {
  const fills = [...colours].map(([kind, colour]) => `.${classOf(kind)} rect{fill:${colour}}`).join('');
  const outlined = '.all rect,.several rect{fill:#fff;stroke:#98a1ad}';
  return `rect{stroke:#fff;stroke-width:.6}${fills}${outlined}`;
}

function drawLegendEntry(kind: string, words: string, at: number): string {
  const left = margin + (at % legend.columns) * (width / legend.columns);
  const top = legend.top + Math.floor(at / legend.columns) * legend.rowHeight;
  const swatch = `<rect x="${pixels(left)}" y="${top}" width="11" height="11"/>`;
  return `<g class="${classOf(kind)}">${swatch}<text x="${pixels(left + 15)}" y="${top + 10}">${words}</text></g>`;
}

/** A picture inside the picture, because that clips its text. */
function drawBox({ call, count, row, left, width: wide }: FlameBox, cost: string): string {
  const outer = `x="${pixels(margin + left)}" y="${firstRow + row * rowHeight}" width="${pixels(wide)}" height="${rowHeight}"`;
  const { kind, names } = call === undefined ? several(count) : row === 0 ? everything : describe(call);
  const [fullest = ''] = names;
  const label = fit(names, Math.floor((wide - 4) / letterWidth));
  const text = label === '' ? '' : `<text x="3" y="12">${escapeXml(label)}</text>`;
  const title = `<title>${escapeXml(fullest)}: ${cost}</title>`;
  return `<svg class="${classOf(kind)}" ${outer}>${title}<rect width="100%" height="100%"/>${text}</svg>`;
}

interface Description {
  /** A key of `colours`, or a style of its own. */
  readonly kind: string;
  /** The fullest first. */
  readonly names: readonly string[];
}

const everything: Description = { kind: 'all', names: ['all'] };

function several(count: number): Description {
  return { kind: 'several', names: [`${count} functions`, `+${count}`] };
}

function describe({ node }: Call): Description {
  const { functionName, lineNumber } = node.callFrame;
  const file = fileOf(node).replace(/^.*node_modules\//, '');
  const line = `${file}:${lineNumber + 1}`;
  const shortLine = line.slice(line.lastIndexOf('/') + 1);
  const kind = kindOf(stageOf(node));
  const name = functionName || 'anonymous';
  if (file === '') return { kind, names: [name] };
  return { kind, names: [`${name} ${line}`, `${name} ${shortLine}`, functionName || shortLine] };
}

/** The fullest name that has no more letters than these, or a beginning of the last one. */
function fit(names: readonly string[], letters: number): string {
  const whole = names.find((name) => name.length <= letters);
  if (whole !== undefined) return whole;
  return letters < 3 ? '' : `${names.at(-1)?.slice(0, letters - 1)}…`;
}

function percent(time: number, total: number): string {
  return `${(total > 0 ? (100 * time) / total : 0).toFixed(1)} %`;
}

function pixels(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function classOf(kind: string): string {
  return kind.replaceAll(' ', '-');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Names of functions may hold anything; what XML has no form for becomes a question mark. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '?')
    .replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? letter);
}
