import { claudeTraits } from '../claude-model.ts';

/** Makers whose models accept settings of their own through the common interface. */
export type ModelFamily = 'claude' | 'nova' | 'nova-2' | 'gpt-oss' | 'mistral' | 'cohere' | 'other';

/** The family of a model by its id, which may be plain, prefixed with a region, or an ARN. */
export function familyOf(modelId: string): ModelFamily {
  if (claudeTraits(modelId) !== undefined) return 'claude';
  // The first generation does not reason.
  if (/amazon\.nova-[2-9]/i.test(modelId)) return 'nova-2';
  if (/amazon\.nova/i.test(modelId)) return 'nova';
  if (/gpt-oss/i.test(modelId)) return 'gpt-oss';
  if (/mistral\./i.test(modelId)) return 'mistral';
  return /cohere\./i.test(modelId) ? 'cohere' : 'other';
}
