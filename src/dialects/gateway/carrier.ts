import type { Annotation } from '../../core/delta.ts';
import { reasoningFormats } from '../../core/reasoning-formats.ts';
import type { ReasoningItem } from '../../core/request.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { CarrierSeal } from '../public-dialect.ts';
import { readAnnotations } from './content/annotations.ts';

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

/** A citation as a carrier holds it (docs/spec/messages.md#citations). */
export interface CarriedCitation {
  readonly annotation: Annotation;
  /** Where the block ended that got the citation, in the text that the citation counts in. */
  readonly at: number;
}

/** Writes a citation that the Messages format cannot say whole as a carrier. */
export function writeCitation(carried: CarriedCitation, seal: CarrierSeal): string {
  return mark + seal.seal(JSON.stringify(carried));
}

/** The citation that a carrier holds; undefined when it is damaged, forged or another account's. */
export function openCitation(carrier: string, seal: CarrierSeal | undefined): CarriedCitation | undefined {
  const text = seal?.open(carrier.slice(mark.length));
  const value = text === undefined ? undefined : parseJson(text);
  if (!isObject(value) || !Number.isInteger(value.at)) return undefined;
  const [annotation] = readAnnotations([value.annotation], 'citation') ?? [];
  return annotation && { annotation, at: Number(value.at) };
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

/**
 * Reasoning that a client gives back in another dialect than it got it in: a carrier that stands in a seal becomes what it
 * holds (docs/spec/messages.md#thoughts). One that cannot be opened leaves the words without a seal.
 */
export function unwrapCarrier(item: ReasoningItem, seal: CarrierSeal | undefined): ReasoningItem {
  const carrier = [item.signature, item.encrypted].find((text) => text !== undefined && isCarrier(text));
  if (carrier === undefined) return item;
  const { signature: _signature, encrypted: _encrypted, ...plain } = item;
  const carried = openCarrier(carrier, seal);
  if (carried === undefined) return { ...plain, format: 'unknown' };
  const { kind, ...members } = carried;
  const words = [...item.content, ...item.summary];
  return kind === 'summary'
    ? { ...plain, ...members, summary: words, content: [] }
    : { ...plain, ...members, content: words, summary: [] };
}
