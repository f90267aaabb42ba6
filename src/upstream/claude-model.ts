import type { Effort } from '../core/request.ts';

/** What generations of Claude differ in, as documented. */
export interface ClaudeTraits {
  /** Takes a thinking budget in tokens. */
  readonly budgets: boolean;
  /** Decides for itself how much to think when told an effort. */
  readonly adaptive: boolean;
  /** Levels of effort it knows; empty where it knows none. */
  readonly efforts: readonly Effort[];
  /** How it is told not to think; undefined where it always does. */
  readonly unthinking: 'disabled' | 'between_tools' | undefined;
  /** Can be made to call a tool. */
  readonly forcedCalls: boolean;
  /** Refuses its thoughts, unless told otherwise, in a conversation whose beginning has changed since. */
  readonly bindsThoughts: boolean;
  /** Goes on from a turn of its own; newer models refuse a conversation that ends in one. */
  readonly prefill: boolean;
  /** Lets the system speak within the conversation. */
  readonly systemTurns: boolean;
  /** Takes temperature, top_p and top_k. */
  readonly samplers: boolean;
  /** Takes temperature and top_p together. */
  readonly bothSamplers: boolean;
  /** Keeps cached prefixes for an hour where asked to. */
  readonly longCache: boolean;
  /** Can be held to a JSON schema. */
  readonly schemas: boolean;
}

const levels = ['low', 'medium', 'high'] as const;

/**
 * The traits of a Claude model by any provider's name for it, such as `claude-opus-4-7`,
 * `eu.anthropic.claude-3-7-sonnet-20250219-v1:0` or `claude-sonnet-4-5@20250929`; undefined for other models.
 */
export function claudeTraits(name: string): ClaudeTraits | undefined {
  if (!/claude/i.test(name)) return undefined;
  const version = versionOf(name);
  const family = /claude-(mythos|fable|opus|sonnet)/i.exec(name)?.[1]?.toLowerCase();
  // These families began above those that take budgets.
  const topmost = family === 'mythos' || family === 'fable';
  const newest = topmost || version >= 4.7;
  const late = newest || version >= 4.5;
  const last = version >= 5.5 && family !== undefined;
  return {
    budgets: !newest,
    adaptive: newest || version >= 4.6,
    efforts: newest ? [...levels, 'xhigh', 'max'] : version >= 4.6 ? [...levels, 'max'] : [],
    unthinking: topmost || (last && family === 'opus') ? undefined : last ? 'between_tools' : 'disabled',
    forcedCalls: topmost ? version === 5 : !last,
    bindsThoughts: version >= (topmost ? 5.1 : 5.5),
    prefill: !newest && version < 4.6,
    systemTurns: version >= systemTurnsSince(family),
    samplers: !newest,
    bothSamplers: !newest && version < 4.1,
    longCache: late,
    schemas: late,
  };
}

/** The first version of a family that lets the system speak within a conversation. */
function systemTurnsSince(family: string | undefined): number {
  if (family === 'opus') return 4.8;
  return family === 'fable' || family === 'mythos' ? 5 : 5.5;
}

/** Before 4 the version stands before the family's name, since then after it. A date is no minor version. */
function versionOf(name: string): number {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d)(?!\d))?/i.exec(name);
  return match === null ? 0 : Number(`${match[1]}.${match[2] ?? 0}`);
}
