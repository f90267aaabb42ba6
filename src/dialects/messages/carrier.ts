import { reasoningFormats } from '../../core/reasoning-formats.ts';
import type { ReasoningItem } from '../../core/request.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { CarrierSeal } from '../public-dialect.ts';

/** What carriers begin with. */
const mark = 'hg1.';

/** Reasoning as a carrier holds it: what a block of this format has no place for. */
export type CarriedReasoning = Pick<ReasoningItem, 'id' | 'format' | 'encrypted' | 'signature'> & {
  /** Whether the text beside the carrier is a summary rather than the thought itself. */
  readonly kind?: 'summary';
};

/** Whether a seal is the gateway's own. */
export function isCarrier(text: string): boolean {
  return text.startsWith(mark);
}

/** Writes reasoning of another maker as a carrier (docs/spec/messages.md#thoughts). */
export function writeCarrier(carried: CarriedReasoning, seal: CarrierSeal): string {
  return mark + seal.seal(JSON.stringify(carried));
}

/** What a carrier holds; undefined when it is damaged, forged or another account's. */
export function openCarrier(carrier: string, seal: CarrierSeal | undefined): CarriedReasoning | undefined {
  const text = seal?.open(carrier.slice(mark.length));
  const value = text === undefined ? undefined : parseJson(text);
  if (!isObject(value)) return undefined;
  const { id, format, encrypted, signature, kind } = value;
  return {
    ...(typeof id === 'string' && { id }),
    format: reasoningFormats.find((known) => known === format) ?? 'unknown',
    ...(typeof encrypted === 'string' && { encrypted }),
    ...(typeof signature === 'string' && { signature }),
    ...(kind === 'summary' && { kind }),
  };
}
