import type { CanonicalRequest, ContentPart, Item } from '../../core/request.ts';
import type { TaskTag } from '../../core/task-tags.ts';
import { taskRules } from './task-rules.ts';

/** How much of a long text is read: its beginning and its end, where people say what they want. */
const readAtStart = 2_000;
const readAtEnd = 1_000;
/** Below it a text says too little. */
const leastWeight = 3;
/** Instructions say something of the task, but less than the user. */
const shareOfInstructions = 0.5;

/**
 * The kind of task by rules alone (docs/spec/routers.md#classification-by-rules): words, code fences and tools. Undefined where
 * nothing speaks for any. Nothing is kept of the text.
 */
export function classifyByRules(request: CanonicalRequest): TaskTag | undefined {
  return classifyText({
    text: lastUserText(request.items),
    instructions: request.instructions ?? systemText(request.items),
    hasTools: request.tools.length > 0,
    calls: request.items.filter(({ kind }) => kind === 'call').length,
  });
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
  const weights = new Map<TaskTag, number>();
  const add = (tag: TaskTag, weight: number) => weights.set(tag, (weights.get(tag) ?? 0) + weight);
  weigh(excerptOf(text), 1, add);
  if (instructions !== '') weigh(excerptOf(instructions), shareOfInstructions, add);
  const code = codeIn(text);
  if (code > 0) for (const tag of codeTags) if (weights.has(tag)) add(tag, code);
  if (code > 0 && !codeTags.some((tag) => weights.has(tag))) add('code:explanation', code);
  if (hasTools) {
    const isCoding = code > 0 || codeTags.some((tag) => (weights.get(tag) ?? 0) >= leastWeight);
    add(isCoding ? 'agent:coding' : 'agent:tool_use', 3 + Math.min(calls, 5));
  }
  return heaviest(weights);
}

const codeTags = [
  'code:debugging',
  'code:refactoring',
  'code:review',
  'code:explanation',
  'code:testing',
  'code:sql',
  'code:devops',
  'code:frontend',
  'code:generation',
] as const satisfies readonly TaskTag[];

function weigh(text: string, share: number, add: (tag: TaskTag, weight: number) => void): void {
  for (const { tag, weight, sign } of taskRules) if (sign.test(text)) add(tag, weight * share);
}

/** How surely a text holds code. */
function codeIn(text: string): number {
  if (text.includes('```')) return 3;
  const line =
    /^\s*(?:def |class |function |const |let |import |#include|public |SELECT |return |for ?\(|if ?\(|fn |func |[}{]\s*$)/mu;
  return line.test(text.slice(0, readAtStart)) ? 2 : 0;
}

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

function excerptOf(text: string): string {
  if (text.length <= readAtStart + readAtEnd) return text;
  return `${text.slice(0, readAtStart)}\n${text.slice(-readAtEnd)}`;
}

/** The text of the latest message of the user. */
export function lastUserText(items: readonly Item[]): string {
  const message = items.findLast((item) => item.kind === 'message' && item.role === 'user');
  return message?.kind === 'message' ? textOf(message.content) : '';
}

function systemText(items: readonly Item[]): string {
  const found = items.find(
    (item) => item.kind === 'message' && (item.role === 'system' || item.role === 'developer'),
  );
  return found?.kind === 'message' ? textOf(found.content) : '';
}

function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}
