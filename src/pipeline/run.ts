import type { Answer } from '../core/answer-part.ts';
import type { InferenceCall, Services } from './services.ts';
import { turn } from './turn.ts';

/** Answers a request. Yields and fails as `turn` does. */
export function run(call: InferenceCall, services: Services): Answer {
  return turn(call, services);
}
