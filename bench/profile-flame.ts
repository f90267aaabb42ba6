import { fileOf, type Profile, type ProfileNode, placeOf, type Span, selfTimes } from './cpu-profile.ts';

interface Flame {
  time: number;
  readonly calls: Map<string, Flame>;
}

/** A call that took less than this share of all is not shown. */
const leastShare = 0.015;
const barLength = 20;

/**
 * A flame graph in text: calls indented below their callers, each with the microseconds for each of `answers`
 * that it and what it called took, and a bar of its share. Node's own functions are left out; what they called
 * stands below whoever called them.
 */
export function flameText(profile: Profile, spans: readonly Span[], answers: number): readonly string[] {
  const root = grow(profile, selfTimes(profile, spans));
  const lines: string[] = [];
  const show = (name: string, flame: Flame, depth: number): void => {
    const share = flame.time / root.time;
    if (!(share >= leastShare)) return;
    const bar = '█'.repeat(Math.round(share * barLength)).padEnd(barLength);
    lines.push(`${(flame.time / answers).toFixed(1).padStart(8)} ${bar} ${'  '.repeat(depth)}${name}`);
    const dearest = [...flame.calls].toSorted(([, one], [, other]) => other.time - one.time);
    for (const [called, below] of dearest) show(called, below, depth + 1);
  };
  show('all', root, 0);
  return lines;
}

function grow(profile: Profile, times: ReadonlyMap<number, number>): Flame {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const visit = (node: ProfileNode, caller: Flame): number => {
    const flame = isShown(node) ? flameAt(caller, placeOf(node)) : caller;
    let time = times.get(node.id) ?? 0;
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child !== undefined) time += visit(child, flame);
    }
    if (flame !== caller) flame.time += time;
    return time;
  };
  const root: Flame = { time: 0, calls: new Map() };
  const [first] = profile.nodes;
  if (first !== undefined) root.time = visit(first, root);
  return root;
}

function isShown(node: ProfileNode): boolean {
  return !fileOf(node).startsWith('node:') && node.callFrame.functionName !== '(root)';
}

function flameAt(caller: Flame, place: string): Flame {
  const known = caller.calls.get(place);
  if (known !== undefined) return known;
  const flame: Flame = { time: 0, calls: new Map() };
  caller.calls.set(place, flame);
  return flame;
}
