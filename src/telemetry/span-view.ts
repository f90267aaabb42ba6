import type { RequestTrace, TracePlace } from '../ports/request-trace.ts';
import type { AnswerContent } from './answer-content.ts';

/** What spans of a destination hold and are called (docs/spec/destinations.md#what-is-sent). */
export interface SpanView {
  readonly cost: boolean;
  readonly identity: boolean;
  readonly context: boolean;
  /** What was said in this request; undefined where that stays here. */
  readonly content: AnswerContent | undefined;
  /** Attributes of the vendor's own, by those they repeat. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** Attributes that destinations get only where their owner says so, by what decides. */
const optional: Readonly<Record<string, 'cost' | 'identity' | 'context'>> = {
  'headgate.cost_usd': 'cost',
  'user.id': 'identity',
  'headgate.key_label': 'identity',
  'headgate.key_hash': 'identity',
  'headgate.referer': 'context',
  'headgate.title': 'context',
  'headgate.origin': 'context',
  'user_agent.original': 'context',
};

/** Whether a destination does not get an attribute. */
export function isWithheld(key: string, view: SpanView): boolean {
  const decides = optional[key];
  return decides !== undefined && !view[decides];
}

/**
 * The place of a request for a destination: its field `trace` is the client's own tree, and stands above the headers, which it
 * then refers to.
 */
export function placeByField({ place, field }: RequestTrace): TracePlace {
  const { traceId, parentSpanId } = field ?? {};
  if (traceId === undefined || traceId === place.traceId) return place;
  const { parent: sender } = place;
  return {
    traceId,
    ...(parentSpanId !== undefined && { parent: { traceId, spanId: parentSpanId } }),
    ...(sender !== undefined && { link: { traceId: sender.traceId, spanId: sender.spanId } }),
    isSampled: true,
  };
}
