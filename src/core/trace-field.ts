import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../util/json.ts';

/** What a request's `trace` field says of the spans it shall be among (docs/spec/telemetry.md#the-field-trace). */
export interface TraceField {
  /** 32 hex digits; undefined where it names no trace. */
  readonly traceId?: string;
  /** 16 hex digits. */
  readonly parentSpanId?: string;
  readonly traceName?: string;
  /** The name of a span between the request and its turns; undefined where none is wanted. */
  readonly spanName?: string;
  /** What turns are called. */
  readonly generationName?: string;
  /** Everything else, by `trace.metadata.` and its name. */
  readonly metadata: Readonly<Record<string, string>>;
}

const longestName = 128;
/** Members that become metadata, and characters of the value of one. */
const mostMetadata = 64;
const longestValue = 1024;
/** What a cut value ends with. */
const cutMark = '…';

/** Reads it. Undefined for a request without one. A name that is no id stands for the beginning of its digest. */
export function readTraceField(value: unknown): TraceField | undefined {
  if (!isObject(value)) return undefined;
  const {
    trace_id: trace,
    parent_span_id: parent,
    trace_name: name,
    span_name: span,
    generation_name: generation,
    ...others
  } = value;
  const traceId = isName(trace) ? idOf(trace, 32) : undefined;
  // What an id was made of can be looked for by its own name.
  const original = traceId === undefined || traceId === trace ? {} : { trace_id: trace };
  return {
    ...(traceId !== undefined && { traceId }),
    ...(isName(parent) && { parentSpanId: idOf(parent, 16) }),
    ...(isName(name) && { traceName: name.slice(0, longestName) }),
    ...(isName(span) && { spanName: span.slice(0, longestName) }),
    ...(isName(generation) && { generationName: generation.slice(0, longestName) }),
    metadata: metadataOf({ ...original, ...others }),
  };
}

function metadataOf(members: JsonObject): TraceField['metadata'] {
  const entries: [string, string][] = [];
  for (const [key, value] of Object.entries(members)) {
    if (entries.length === mostMetadata) break;
    if (value === null || value === undefined) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = text.length > longestValue ? text.slice(0, longestValue - 1) + cutMark : text;
    entries.push([`trace.metadata.${key.slice(0, longestName)}`, shown]);
  }
  return Object.fromEntries(entries);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function idOf(text: string, digits: number): string {
  const isId = text.length === digits && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text);
  return isId ? text : hash('sha256', text).slice(0, digits);
}
