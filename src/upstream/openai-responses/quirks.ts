import type { Provider } from '../../core/catalogue.ts';
import type { ReasoningFormat } from '../../core/delta.ts';
import { type Effort, efforts } from '../../core/efforts.ts';
import { type HostedKind, hostedKindOf } from '../../core/hosted.ts';
import { reasoningFormats } from '../../core/reasoning-formats.ts';

/** How providers of this dialect differ, as their `quirks` state. */
export interface ResponsesProfile {
  /**
   * `reasoningFormat`: the format of the reasoning blobs it makes and reads. Default `openai-responses-v1`.
   */
  readonly format: ReasoningFormat;
  /**
   * `reasoningContent`: whether it accepts raw reasoning text. Its issuer refuses it; open servers want it.
   */
  readonly takesReasoningText: boolean;
  /** `hostedTools`: the kinds it runs or knows by name. Default none. */
  readonly hostedTools: ReadonlySet<HostedKind>;
  /** `efforts`: those it accepts; the nearest is sent. Default: whatever the model accepts. */
  readonly efforts?: readonly Effort[];
  /** `serviceTiers`: the names it accepts; others are not sent. Default all. */
  readonly serviceTiers?: readonly string[];
  /** `omit`: body members, and names of parts of the dialect, that it does not accept. */
  readonly omit: ReadonlySet<string>;
}

/** Formats of the makers whose own dialect this is. */
const formats = reasoningFormats.filter((format) => format.endsWith('-responses-v1'));
const hostedKinds: ReadonlySet<string> = new Set(Object.values(hostedKindOf));
const known = new WeakMap<Provider, ResponsesProfile>();

/** A provider's quirks, with the dialect's defaults filled in. */
export function responsesProfile(provider: Provider): ResponsesProfile {
  const profile = known.get(provider) ?? readProfile(provider);
  known.set(provider, profile);
  return profile;
}

function readProfile({ quirks }: Provider): ResponsesProfile {
  return {
    format: formats.find((format) => format === quirks.reasoningFormat) ?? 'openai-responses-v1',
    takesReasoningText: quirks.reasoningContent === true,
    hostedTools: new Set(wordsOf(quirks.hostedTools).filter(isHostedKind)),
    efforts: Array.isArray(quirks.efforts) ? wordsOf(quirks.efforts).filter(isEffort) : undefined,
    serviceTiers: Array.isArray(quirks.serviceTiers) ? wordsOf(quirks.serviceTiers) : undefined,
    omit: new Set(wordsOf(quirks.omit)),
  };
}

function isEffort(word: string): word is Effort {
  return efforts.some((effort) => effort === word);
}

function isHostedKind(word: string): word is HostedKind {
  return hostedKinds.has(word);
}

function wordsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}
