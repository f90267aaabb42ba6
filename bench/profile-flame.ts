import { type Call, callTree, dearestCalls } from './call-tree.ts';
import { isNodes, type Profile, placeOf, type Span } from './cpu-profile.ts';

/** A call that took less than this share of all is not shown. */
const leastShare = 0.015;
const barLength = 20;

/**
 * A flame graph in text: calls indented below their callers, each with the microseconds for each of `answers`
 * that it and what it called took, and a bar of its share. Node's own functions are left out; what they called
 * stands below whoever called them.
 */
export function flameText(profile: Profile, spans: readonly Span[], answers: number): readonly string[] {
  const root = callTree(profile, spans, isNodes);
  const lines: string[] = [];
  const show = (name: string, call: Call, depth: number): void => {
    const share = call.time / root.time;
    if (!(share >= leastShare)) return;
    const bar = '█'.repeat(Math.round(share * barLength)).padEnd(barLength);
    lines.push(`${(call.time / answers).toFixed(1).padStart(8)} ${bar} ${'  '.repeat(depth)}${name}`);
    for (const below of dearestCalls(call)) show(placeOf(below.node), below, depth + 1);
  };
  show('all', root, 0);
  return lines;
}
