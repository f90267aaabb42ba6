import type { Feature } from '../core/features.ts';
import type { Sampling } from '../core/request.ts';

/** The members of `Sampling` with their feature and their public name, which is also the parameter's. */
export const samplingFields: readonly (readonly [keyof Sampling, Feature, string])[] = [
  ['temperature', 'sampling.temperature', 'temperature'],
  ['topP', 'sampling.top_p', 'top_p'],
  ['topK', 'sampling.top_k', 'top_k'],
  ['frequencyPenalty', 'sampling.penalties', 'frequency_penalty'],
  ['presencePenalty', 'sampling.penalties', 'presence_penalty'],
  ['repetitionPenalty', 'sampling.repetition_penalty', 'repetition_penalty'],
  ['minP', 'sampling.min_p', 'min_p'],
  ['topA', 'sampling.top_a', 'top_a'],
  ['seed', 'sampling.seed', 'seed'],
  ['stop', 'sampling.stop', 'stop'],
  ['logitBias', 'sampling.logit_bias', 'logit_bias'],
  ['topLogprobs', 'sampling.logprobs', 'top_logprobs'],
];
