import { type Profile, type ProfileNode, placeOf, type Span, selfTimes } from './cpu-profile.ts';

/** A function below its callers, with every call of it from there. */
export interface Call {
  readonly node: ProfileNode;
  /** Busy microseconds, with what it called. */
  time: number;
  /** What it called, by place. */
  readonly calls: Map<string, Call>;
}

/** Whether a node shall not be shown by itself: its time and its calls are then the caller's. */
export type BelongsToCaller = (node: ProfileNode, caller: ProfileNode) => boolean;

/** A thread's calls during the spans, from the root of the profile on; without idle time. */
export function callTree(profile: Profile, spans: readonly Span[], belongsToCaller: BelongsToCaller): Call {
  const times = selfTimes(profile, spans);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const visit = (node: ProfileNode, call: Call): number => {
    let time = times.get(node.id) ?? 0;
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child === undefined) continue;
      const below = belongsToCaller(child, call.node) ? call : callFrom(call, child);
      const passed = visit(child, below);
      if (below !== call) below.time += passed;
      time += passed;
    }
    return time;
  };
  const [first = nobody] = profile.nodes;
  const root: Call = { node: first, time: 0, calls: new Map() };
  root.time = visit(first, root);
  return root;
}

/** What a call called, the dearest first. */
export function dearestCalls({ calls }: Call): readonly Call[] {
  return [...calls.values()].toSorted((one, other) => other.time - one.time);
}

const nobody: ProfileNode = { id: 0, callFrame: { functionName: '(root)', url: '', lineNumber: -1 } };

function callFrom({ calls }: Call, node: ProfileNode): Call {
  const place = placeOf(node);
  const known = calls.get(place);
  if (known !== undefined) return known;
  const call: Call = { node, time: 0, calls: new Map() };
  calls.set(place, call);
  return call;
}
