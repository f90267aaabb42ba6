import { type Call, dearestCalls } from './call-tree.ts';

/** A call as a rectangle, or several too narrow to be seen as one. */
export interface FlameBox {
  /** Undefined stands for several calls. */
  readonly call: Call | undefined;
  readonly time: number;
  /** Calls in it. */
  readonly count: number;
  /** 0 is the outermost caller. */
  readonly row: number;
  readonly left: number;
  readonly width: number;
}

/**
 * Lays calls out below their callers, the dearest first from the left, each as wide as its share of the time; the
 * whole is `width` wide. Below a box is left free what its function took itself. Calls of one caller that would be
 * narrower than `leastWidth` share a box, and are left out where even that would be narrower.
 */
export function flameBoxes(root: Call, width: number, leastWidth: number): readonly FlameBox[] {
  const boxes: FlameBox[] = [];
  const scale = root.time > 0 ? width / root.time : 0;
  const put = (call: Call, row: number, left: number): void => {
    boxes.push({ call, time: call.time, count: 1, row, left, width: call.time * scale });
    const narrow = { time: 0, count: 0 };
    let at = left;
    for (const below of dearestCalls(call)) {
      if (below.time * scale < leastWidth) {
        narrow.time += below.time;
        narrow.count++;
        continue;
      }
      put(below, row + 1, at);
      at += below.time * scale;
    }
    const rest = narrow.time * scale;
    if (rest >= leastWidth) boxes.push({ call: undefined, ...narrow, row: row + 1, left: at, width: rest });
  };
  put(root, 0, 0);
  return boxes;
}
