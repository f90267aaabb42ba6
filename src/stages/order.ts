/**
 * Every step of a request in its order. Rows of stages name the place of a plugin or guardrail; the other
 * rows are steps of the edge and of the pipeline, listed to show what stands between the stages.
 */
const order = [
  { step: 'read', by: 'edge' },
  { step: 'defaults', by: 'stage' },
  { step: 'admission', by: 'pipeline' },
  { step: 'restrictions', by: 'stage' },
  { step: 'own-files', by: 'stage' },
  { step: 'input-scan', by: 'stage' },
  { step: 'moderation', by: 'stage' },
  { step: 'file-parser', by: 'stage' },
  { step: 'web-search', by: 'stage' },
  { step: 'router', by: 'stage' },
  { step: 'routing', by: 'pipeline' },
  { step: 'context-compression', by: 'stage' },
  { step: 'turns', by: 'pipeline' },
  { step: 'response-healing', by: 'stage' },
] as const;

/** The place of a stage in the order. */
export type StagePlace = Extract<(typeof order)[number], { by: 'stage' }>['step'];

const places: readonly string[] = order.map(({ step }) => step);
const admission = places.indexOf('admission');

/** Stages in their order; those of one place stay as they were. */
export function inOrder<Some extends { readonly place: StagePlace }>(
  stages: readonly Some[],
): readonly Some[] {
  return stages.toSorted((one, other) => places.indexOf(one.place) - places.indexOf(other.place));
}

/** Whether a stage prepares a request before the caller's limits are judged. */
export function isBeforeAdmission(place: StagePlace): boolean {
  return places.indexOf(place) < admission;
}
