import { hash } from 'node:crypto';
import { isObject } from '../util/json.ts';

/** What a request's `trace` field says of the spans it shall be among (docs/spec/telemetry.md#the-field-trace). */
export interface TraceField {
  /** 32 hex digits; undefined where it names no trace. */
  readonly traceId?: string;
  /** 16 hex digits. */
  readonly parentSpanId?: string;
  readonly traceName?: string;
}

const longestName = 128;

/** Reads it. Undefined for a request without one. A name that is no id stands for the beginning of its digest. */
export function readTraceField(value: unknown): TraceField | undefined {
  if (!isObject(value)) return undefined;
  const { trace_id: trace, parent_span_id: parent, trace_name: name } = value;
  return {
    ...(isName(trace) && { traceId: idOf(trace, 32) }),
    ...(isName(parent) && { parentSpanId: idOf(parent, 16) }),
    ...(isName(name) && { traceName: name.slice(0, longestName) }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function idOf(text: string, digits: number): string {
  const isId = text.length === digits && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text);
  return isId ? text : hash('sha256', text).slice(0, digits);
}
