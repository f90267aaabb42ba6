import { type Effort, efforts } from './efforts.ts';
import { HeadgateError } from './errors.ts';
import type { ReasoningControl } from './request.ts';

/** The part of the output limit that each effort may use for reasoning (docs/spec/requests.md#reasoning). */
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

/** The smallest budget that budget-based providers accept, in tokens. */
const smallestBudget = 1024;
const largestBudget = 128_000;

/**
 * Reasoning tokens for providers that take budgets (docs/spec/requests.md#reasoning): the caller's own number overrides
 * the effort. Undefined when the caller set neither; 0 when reasoning is off.
 * @param outputLimit Limit of tokens of the whole answer, reasoning included.
 */
export function reasoningBudget(control: ReasoningControl, outputLimit: number): number | undefined {
  if (control.maxTokens !== undefined) return Math.max(control.maxTokens, smallestBudget);
  if (control.effort === undefined) return undefined;
  if (control.effort === 'none') return 0;
  const wanted = Math.floor(outputLimit * shares[control.effort]);
  return Math.max(Math.min(wanted, largestBudget), smallestBudget);
}

/**
 * The effort for providers that take only efforts: the caller's, or the one whose share is nearest to the caller's
 * budget (medium when the output limit is unknown), mapped to the nearest supported one. Undefined when the caller
 * set neither.
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

/** The supported effort nearest to the wanted one; the wanted one when the supported ones are unknown. */
export function nearestEffort(wanted: Effort, supported: readonly Effort[] | undefined): Effort {
  // Requested reasoning is not turned off because its level is missing.
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

/** The error for an output limit that leaves no room for the requested reasoning; both in tokens. */
export function noRoomForBudget(limit: number, budget: number): HeadgateError {
  return new HeadgateError(
    'unprocessable',
    `max_output_tokens (${limit}) must be greater than the reasoning budget (${budget}): ` +
      'raise it, or lower reasoning.max_tokens, which is at least 1024 here.',
  );
}
