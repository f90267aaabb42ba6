import { choose, go, href } from '../state/url.ts';
import { rangeOfSteps, type Series } from '../state/usage.ts';

/** Lists the requests of some steps of a chart. @param choices Filters of the list. */
export function showSteps(
  steps: Pick<Series, 'starts' | 'to'> | undefined,
  first: number,
  last: number,
  choices: Readonly<Record<string, string | undefined>>,
): void {
  const range = rangeOfSteps(steps, first, last);
  if (range === undefined) return;
  go(href('requests', choices));
  choose(range, { replace: true });
}
