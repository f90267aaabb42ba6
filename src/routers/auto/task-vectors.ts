import type { TaskTag } from '../../core/task-tags.ts';
import type { ClassifiedTask } from '../router.ts';
import { taskExamples } from './task-examples.ts';

/** Examples that are learned with one request at most, so that it stays about as fast as without them. */
const mostAtOnce = 12;
/** Examples whose mean decides how near a tag is. */
const nearestCounted = 3;

/** An example of a task, by its place in the list of all. */
export interface TaskExample {
  readonly place: number;
  readonly tag: TaskTag;
  readonly text: string;
}

const examples: readonly TaskExample[] = Object.entries(taskExamples)
  .flatMap(([tag, texts]) => texts.map((text) => ({ tag: tag as TaskTag, text })))
  .map((example, place) => ({ ...example, place }));

/**
 * What an embedding model makes of the examples of each task (docs/spec/routers.md#classification-by-a-model). Every request that
 * asks the model brings some examples along, until all are known. Keeps the vectors of one model; those of another replace them.
 */
export class TaskVectors {
  #modelId: string | undefined;
  readonly #known = new Map<number, Float32Array>();

  /** Whether the examples of a model are all known, so that it can tell tasks. */
  isReady(modelId: string): boolean {
    return this.#modelId === modelId && this.#known.size === examples.length;
  }

  /** The next examples to learn; none when all are known. */
  missing(modelId: string): readonly TaskExample[] {
    const known = this.#modelId === modelId ? this.#known : undefined;
    const left = examples.filter(({ place }) => known?.has(place) !== true);
    return left.slice(0, mostAtOnce);
  }

  /** Keeps the vectors of examples. */
  learn(
    modelId: string,
    learned: readonly TaskExample[],
    vectors: readonly (Float32Array | undefined)[],
  ): void {
    if (this.#modelId !== modelId) this.#known.clear();
    this.#modelId = modelId;
    for (const [index, { place }] of learned.entries()) {
      const vector = vectors[index];
      if (vector !== undefined) this.#known.set(place, normalized(vector));
    }
  }

  /** The task whose nearest examples are nearest to a vector; undefined where vectors cannot be compared. */
  nearest(vector: Float32Array): ClassifiedTask | undefined {
    const asked = normalized(vector);
    const byTag = new Map<TaskTag, number[]>();
    for (const { place, tag } of examples) {
      const known = this.#known.get(place);
      if (known?.length !== asked.length) return undefined;
      const others = byTag.get(tag) ?? [];
      others.push(product(asked, known));
      byTag.set(tag, others);
    }
    let best: { readonly tag: TaskTag; readonly near: number } | undefined;
    for (const [tag, all] of byTag) {
      const near = sum(all.sort((one, other) => other - one).slice(0, nearestCounted));
      if (best === undefined || near > best.near) best = { tag, near };
    }
    return best && { tag: best.tag, by: 'model' };
  }
}

function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(product(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function product(one: Float32Array, other: Float32Array): number {
  let total = 0;
  for (const [index, value] of one.entries()) total += value * (other[index] ?? 0);
  return total;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
