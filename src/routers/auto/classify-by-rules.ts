import { isSystem } from '../../core/is-system.ts';
import type { CanonicalRequest, ContentPart, Item } from '../../core/request.ts';
import type { TaskTag } from '../../core/task-tags.ts';
import { codeRules, plainCodeRules, technology } from './rules/code-rules.ts';
import { toolRules } from './rules/talk-rules.ts';
import type { TaskRule } from './rules/task-rule.ts';
import { taskRules } from './task-rules.ts';

/** How much of a long text is read: its beginning and its end, where people say what they want. */
const readAtStart = 2_000;
const readAtEnd = 1_000;
/** Below it a text says too little. */
const leastWeight = 2;
/** Instructions say something of the task, but less than the user. */
const shareOfInstructions = 0.5;
/** Several words of one rule say more than one, up to a limit. */
const mostSigns = 3;
const shareOfFurtherSigns = 0.4;
const weightOfTools = 4;
const mostCalls = 5;
const mostCode = 4;

/**
 * The kind of task by rules alone (docs/spec/routers.md#classification-by-rules): words, code fences and tools. Undefined where
 * nothing speaks for any. Nothing is kept of the text.
 */
export function classifyByRules(request: CanonicalRequest): TaskTag | undefined {
  return classifyText(readTask(request));
}

/** What of a request says what its task is. */
export function readTask(request: CanonicalRequest): ReadTask {
  return {
    text: lastUserText(request.items),
    instructions: request.instructions ?? systemText(request.items),
    hasTools: request.tools.length > 0,
    calls: request.items.filter(({ kind }) => kind === 'call').length,
  };
}

/** What rules read of a request. */
export interface ReadTask {
  readonly text: string;
  readonly instructions?: string;
  readonly hasTools?: boolean;
  /** How many calls of tools were made so far. */
  readonly calls?: number;
}

/** Like `classifyByRules`, for what was read of a request. */
export function classifyText({
  text,
  instructions = '',
  hasTools = false,
  calls = 0,
}: ReadTask): TaskTag | undefined {
  const read = excerptOf(text);
  const weights = new Map<TaskTag, number>();
  weigh(read, taskRules, 1, weights);
  if (instructions !== '') weigh(excerptOf(instructions), taskRules, shareOfInstructions, weights);
  weighCode(read, weights);
  if (hasTools) weighTools(read, calls, weights);
  return heaviest(weights);
}

/** Adds the weight of every rule that a text fits: more where it fits in several words. */
function weigh(text: string, rules: readonly TaskRule[], share: number, weights: Map<TaskTag, number>): void {
  for (const { tag, weight, sign } of rules) {
    const count = signsIn(text, sign);
    if (count > 0) add(weights, tag, weight * share * (1 + (count - 1) * shareOfFurtherSigns));
  }
}

/** How many different words of a text a sign finds, up to the most that count. */
function signsIn(text: string, sign: RegExp): number {
  let found: Set<string> | undefined;
  for (const [word] of text.matchAll(sign)) {
    found ??= new Set();
    found.add(word.toLowerCase());
    if (found.size === mostSigns) break;
  }
  return found?.size ?? 0;
}

/**
 * Kinds of work on code. Words that only occur where somebody programs always count, others where the text holds code or
 * speaks of it. Code without a word of what to do with it is a question about it, or wants more of it.
 */
function weighCode(text: string, weights: Map<TaskTag, number>): void {
  const own = new Map<TaskTag, number>();
  weigh(text, plainCodeRules, 1, own);
  const code = Math.min(mostCode, codeIn(text) + own.size * 2);
  if (code === 0) return;
  weigh(text, codeRules, 1, own);
  if (own.size === 0) own.set(/[?？]/.test(text) ? 'code:explanation' : 'code:generation', 1);
  for (const [tag, weight] of own) add(weights, tag, weight + code);
}

/** Tools that are offered mean a task for an agent; the more so the more were called. */
function weighTools(text: string, calls: number, weights: Map<TaskTag, number>): void {
  const own = new Map<TaskTag, number>();
  weigh(text, toolRules, 1, own);
  const called = Math.min(calls, mostCalls);
  const isCoding = (own.get('agent:coding') ?? 0) > (own.get('agent:tool_use') ?? 0);
  const tag = isCoding ? 'agent:coding' : 'agent:tool_use';
  add(weights, tag, weightOfTools + called + (own.get(tag) ?? 0));
}

function add(weights: Map<TaskTag, number>, tag: TaskTag, weight: number): void {
  weights.set(tag, (weights.get(tag) ?? 0) + weight);
}

/** How surely a text holds code or speaks of it, up to `mostCode`. */
function codeIn(text: string): number {
  if (text.includes('```')) return mostCode;
  const marks = signsIn(text, codeMarks) + signsIn(text, codeLines) * 2;
  return Math.min(mostCode, marks + signsIn(text, technology));
}

const codeLines =
  /^[ \t]{0,40}(?:def |class \w|function |const |let |import |#include|public |private |SELECT |return |for ?\(|if ?\(|while |fn |func |typedef |@@ |[}{][ \t]{0,9}$)/gmu;
const codeMarks =
  /=>|::|->|\b\w{1,40}(?:\(\w{0,40}\)|\[\w{1,40}\]|\.\w{1,40}\(|\((?:\w{1,40}, ?){1,8}\w{1,40}\))|\b[a-z]{1,40}[A-Z]\w|\w_\w|;[ \t]{0,9}$|&&|\|\||===?|!=|\bself\b|`[^`\n]{2,80}`|\(\) ?\{|<\w{1,40}>|\bfor \w{1,40} in\b|\bdef \w|\b[A-Z]{3}-\d{4}|\w\+\+|\d>&\d|--\w/gmu;

/** Of equals the one that reached its weight first. */
function heaviest(weights: ReadonlyMap<TaskTag, number>): TaskTag | undefined {
  let best: TaskTag | undefined;
  let most = 0;
  for (const [tag, weight] of weights) {
    if (weight < leastWeight || weight <= most) continue;
    best = tag;
    most = weight;
  }
  return best;
}

/** The beginning and the end of a text, where people say what they want. */
export function excerptOf(text: string): string {
  if (text.length <= readAtStart + readAtEnd) return text;
  return `${text.slice(0, readAtStart)}\n${text.slice(-readAtEnd)}`;
}

/** The text of the latest message of the user. */
function lastUserText(items: readonly Item[]): string {
  const message = items.findLast((item) => item.kind === 'message' && item.role === 'user');
  return message?.kind === 'message' ? textOf(message.content) : '';
}

function systemText(items: readonly Item[]): string {
  const found = items.find(isSystem);
  return found === undefined ? '' : textOf(found.content);
}

function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}
