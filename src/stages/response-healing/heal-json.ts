import { jsonrepair } from 'jsonrepair';
import { isObject, parseJson } from '../../util/json.ts';

/** What an answer's text should be. */
export interface WantedJson {
  /** Whether the root must be an object. */
  readonly mustBeObject: boolean;
  /** Which bracket the wanted root begins with, where that is known. */
  readonly opens?: '{' | '[';
}

/** UTF-16 units of the longest text that is repaired. */
export const longestHealed = 1024 * 1024;

/** A text to repair. */
export interface HealJob {
  readonly text: string;
  readonly wanted: WantedJson;
}

/** `healJson` as a task of a child process: repairing takes time with the square of the text. */
export function healJob({ text, wanted }: HealJob): string | undefined {
  return healJson(text, wanted);
}

/** Whether a text is the wanted JSON as it stands. Takes time linear in it. */
export function isIntact(text: string, wanted: WantedJson): boolean {
  return isWanted(bareOf(text), wanted);
}

/**
 * Repairs a text that should be JSON (docs/spec/plugins.md#response-healing): takes it out of a code fence and of prose,
 * then repairs its syntax. Spelling of numbers and order of keys stay. Undefined where it cannot be repaired, and where
 * nothing is wrong.
 */
export function healJson(text: string, wanted: WantedJson): string | undefined {
  if (text.length > longestHealed) return undefined;
  const bare = bareOf(text);
  if (isWanted(bare, wanted)) return undefined;
  const inner = cutOut(insideFence(bare), wanted);
  if (isWanted(inner, wanted)) return inner;
  const repaired = tryToRepair(inner);
  return repaired !== undefined && isWanted(repaired, wanted) ? repaired : undefined;
}

/** Without the byte-order mark and surrounding whitespace. */
function bareOf(text: string): string {
  return text.replace(/^\ufeff/, '').trim();
}

function isWanted(text: string, { mustBeObject }: WantedJson): boolean {
  const value = parseJson(text);
  return mustBeObject ? isObject(value) : value !== undefined;
}

/** The first fenced block, also where its end is missing. */
function insideFence(text: string): string {
  const open = text.indexOf('```');
  if (open < 0) return text;
  const start = text.indexOf('\n', open);
  if (start < 0) return text;
  const end = text.indexOf('```', start);
  return text.slice(start + 1, end < 0 ? undefined : end).trim();
}

/** From the first bracket to its match, else to the end. */
function cutOut(text: string, { opens }: WantedJson): string {
  const preferred = opens === undefined ? -1 : text.indexOf(opens);
  const start = preferred >= 0 ? preferred : text.search(/[{[]/);
  return start < 0 ? text : text.slice(start, endOf(text, start));
}

/** Texts, so that brackets in them do not count, and brackets. */
const signs = /"(?:[^"\\]|\\.)*"?|[{}[\]]/gs;

function endOf(text: string, start: number): number {
  let depth = 0;
  signs.lastIndex = start;
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    const [sign] = found;
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth === 0) return signs.lastIndex;
  }
  return text.length;
}

function tryToRepair(text: string): string | undefined {
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}
