import { isOwnStage, type Profile, type ProfileNode, type Span, selfTimes, stageOf } from './cpu-profile.ts';

/** The busy time of a thread in microseconds by stage; both maps have the same sum. */
export interface StageTimes {
  /** In the stage's own code. */
  readonly itself: ReadonlyMap<string, number>;
  /**
   * With the libraries, Node and native code that it called; what none of our code called is listed by itself.
   */
  readonly withCalled: ReadonlyMap<string, number>;
}

/** Sums a profile by stage, within the spans only. */
export function timesByStage(profile: Profile, spans: readonly Span[]): StageTimes {
  const times = selfTimes(profile, spans);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const itself = new Map<string, number>();
  const withCalled = new Map<string, number>();
  const visit = (node: ProfileNode, owner: string | undefined): void => {
    const stage = stageOf(node);
    const payer = isOwnStage(stage) ? stage : owner;
    const time = times.get(node.id);
    if (time !== undefined) {
      add(itself, stage, time);
      add(withCalled, payer ?? stage, time);
    }
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child !== undefined) visit(child, payer);
    }
  };
  const [root] = profile.nodes;
  if (root !== undefined) visit(root, undefined);
  return { itself, withCalled };
}

/** Adds to an entry of a map. */
export function add<Key>(times: Map<Key, number>, key: Key, time: number): void {
  times.set(key, (times.get(key) ?? 0) + time);
}

/** A table of stages, the most expensive first, in microseconds for each of `answers`. */
export function stageTable({ itself, withCalled }: StageTimes, answers: number): readonly string[] {
  const stages = [...new Set([...itself.keys(), ...withCalled.keys()])].toSorted(
    (one, other) => (withCalled.get(other) ?? 0) - (withCalled.get(one) ?? 0),
  );
  const row = (stage: string, own: number, all: number) =>
    `${stage.padEnd(20)}${(own / answers).toFixed(1).padStart(10)}${(all / answers).toFixed(1).padStart(20)}`;
  const sum = [...itself.values()].reduce((total, time) => total + time, 0);
  return [
    `${'µs a request'.padEnd(20)}${'itself'.padStart(10)}${'with what it calls'.padStart(20)}`,
    ...stages.map((stage) => row(stage, itself.get(stage) ?? 0, withCalled.get(stage) ?? 0)),
    row('all', sum, sum),
  ];
}
