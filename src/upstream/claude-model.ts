import type { Effort } from '../core/efforts.ts';

/** How generations of Claude differ, as documented. */
export interface ClaudeTraits {
  /** Accepts a thinking budget in tokens. */
  readonly budgets: boolean;
  /** Given an effort, decides itself how much to think. */
  readonly adaptive: boolean;
  /** Levels of effort that it accepts; empty where it has none. */
  readonly efforts: readonly Effort[];
  /** The setting that turns thinking off; undefined where it always thinks. */
  readonly unthinking: 'disabled' | 'between_tools' | undefined;
  /** Can be forced to call a tool. */
  readonly forcedCalls: boolean;
  /** By default, refuses its own thoughts in a conversation whose beginning has changed since. */
  readonly bindsThoughts: boolean;
  /** Continues a turn of its own; newer models refuse a conversation that ends in one. */
  readonly prefill: boolean;
  /** Accepts system messages within the conversation. */
  readonly systemTurns: boolean;
  /** Accepts temperature, top_p and top_k. */
  readonly samplers: boolean;
  /** Accepts temperature and top_p together. */
  readonly bothSamplers: boolean;
  /** Can keep cached prefixes for an hour. */
  readonly longCache: boolean;
  /** Can enforce a JSON schema. */
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
  // These families began above the versions that accept budgets.
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

/** The first version of a family that accepts system messages within a conversation. */
function systemTurnsSince(family: string | undefined): number {
  if (family === 'opus') return 4.8;
  return family === 'fable' || family === 'mythos' ? 5 : 5.5;
}

/**
 * Before version 4 the version precedes the family's name; since then it follows. A date is not a minor version.
 */
function versionOf(name: string): number {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d)(?!\d))?/i.exec(name);
  return match === null ? 0 : Number(`${match[1]}.${match[2] ?? 0}`);
}
