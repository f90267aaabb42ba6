import { efforts } from './efforts.ts';
import type { Effort, ReasoningControl } from './request.ts';

/** Which part of the output limit each effort may spend on reasoning (responses.md 6.4). */
const shares: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};

/** From least to most. */
const ladder = efforts.toReversed();

/** The smallest budget a budget-taking provider accepts, in tokens. */
const smallestBudget = 1024;
const largestBudget = 128_000;

/**
 * Tokens to reason with, for providers that take budgets (responses.md 6.4): the caller's own number wins
 * over the effort. Undefined when the caller asked for neither; 0 when reasoning is off.
 * @param outputLimit Tokens the whole answer may have, reasoning included.
 */
export function reasoningBudget(control: ReasoningControl, outputLimit: number): number | undefined {
  if (control.maxTokens !== undefined) return Math.max(control.maxTokens, smallestBudget);
  if (control.effort === undefined) return undefined;
  if (control.effort === 'none') return 0;
  const wanted = Math.floor(outputLimit * shares[control.effort]);
  return Math.max(Math.min(wanted, largestBudget), smallestBudget);
}

/**
 * The effort to ask of a provider that takes efforts only: the caller's, or the one whose share is nearest
 * to the caller's budget (medium when the output limit is not known), moved to the nearest supported one.
 * Undefined when the caller asked for neither.
 */
export function reasoningEffort(
  control: ReasoningControl,
  outputLimit: number | undefined,
  supported?: readonly Effort[],
): Effort | undefined {
  const wanted = control.effort ?? effortOfBudget(control.maxTokens, outputLimit);
  return wanted === undefined ? undefined : nearestEffort(wanted, supported);
}

function effortOfBudget(budget: number | undefined, outputLimit: number | undefined): Effort | undefined {
  if (budget === undefined) return undefined;
  if (outputLimit === undefined) return 'medium';
  const share = budget / outputLimit;
  return closest(ladder.slice(1), (effort) => Math.abs(shares[effort] - share));
}

/** The supported effort nearest to the one wanted; the same when nobody stated which are supported. */
export function nearestEffort(wanted: Effort, supported: readonly Effort[] | undefined): Effort {
  // Reasoning that was asked for is not turned off because its level is missing.
  const candidates = ladder.filter(
    (effort) => supported?.includes(effort) && (wanted === 'none' || effort !== 'none'),
  );
  const place = ladder.indexOf(wanted);
  return closest(candidates, (effort) => Math.abs(ladder.indexOf(effort) - place)) ?? wanted;
}

/** Of equally near efforts the lower one, which costs less. */
function closest(efforts: readonly Effort[], distance: (effort: Effort) => number): Effort | undefined {
  let best: Effort | undefined;
  for (const effort of efforts) {
    if (best === undefined || distance(effort) < distance(best)) best = effort;
  }
  return best;
}
