import type { TelemetryConfig } from '../config/config.ts';
import {
  newTraceId,
  type SpanReference,
  type TraceHeaders,
  type TracePlace,
} from '../ports/request-trace.ts';
import { listsAddress } from '../util/address-list.ts';

/** Characters of `tracestate` that are passed on; a longer one is dropped. */
const longestState = 512;

/** A `traceparent` as it was sent. */
interface Incoming extends SpanReference {
  readonly isSampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Reads a `traceparent` by the rules of W3C Trace Context. Undefined for one that breaks them or came several times: it never
 * fails a request.
 */
export function readTraceParent(value: TraceHeaders['traceparent']): Incoming | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    typeof value === 'string' ? (form.exec(value.trim()) ?? []) : [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Decides where requests stand among the traces of their senders, and which are exported. */
export class TraceContext {
  readonly #rules: TelemetryConfig;
  readonly #now: () => number;
  #second = 0;
  #forced = 0;

  /** @param now Unix milliseconds. */
  constructor(rules: TelemetryConfig, now: () => number) {
    this.#rules = rules;
    this.#now = now;
  }

  /** The place of a request whose headers are these. */
  placeOf({ traceparent, tracestate, address }: TraceHeaders): TracePlace {
    const incoming = traceparent === undefined ? undefined : readTraceParent(traceparent);
    if (incoming === undefined) return this.#own(newTraceId());
    const { traceId, spanId } = incoming;
    if (!this.#trusts(address)) return { ...this.#own(newTraceId()), link: { traceId, spanId } };
    const state =
      typeof tracestate === 'string' && tracestate.length <= longestState ? tracestate : undefined;
    const parent = { traceId, spanId, ...(state !== undefined && { state }) };
    return { traceId, parent, isSampled: this.#follows(incoming) };
  }

  /** Whether a trace is exported that its sender did not decide for; the same for all requests of one trace. */
  samples(traceId: string): boolean {
    const { ratio } = this.#rules.sampling;
    // Its last 14 digits are random by all versions of the standard.
    return ratio >= 1 || Number.parseInt(traceId.slice(-13), 16) / 16 ** 13 < ratio;
  }

  #own(traceId: string): TracePlace {
    return { traceId, isSampled: this.samples(traceId) };
  }

  #follows({ traceId, isSampled }: Incoming): boolean {
    const { followParent } = this.#rules.sampling;
    const own = this.samples(traceId);
    if (!followParent) return own;
    if (!isSampled || own) return isSampled;
    return this.#isForced();
  }

  /** Whether one more is exported this second only because its sender wants that. */
  #isForced(): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#forced = 0;
    }
    this.#forced += 1;
    return this.#forced <= this.#rules.sampling.forcedPerSecond;
  }

  #trusts(address: () => string | undefined): boolean {
    const { trustIncoming } = this.#rules;
    return typeof trustIncoming === 'boolean' ? trustIncoming : listsAddress(trustIncoming, address());
  }
}
