import type { Provider } from '../../core/catalogue.ts';
import type { ReasoningFormat } from '../../core/delta.ts';
import { efforts } from '../../core/efforts.ts';
import { type HostedKind, hostedKindOf } from '../../core/hosted.ts';
import { reasoningFormats } from '../../core/reasoning-formats.ts';
import type { Effort } from '../../core/request.ts';

/** In what providers of this dialect differ, as their `quirks` state it. */
export interface ResponsesProfile {
  /** `reasoningFormat`: whose reasoning blobs it makes and reads. Usually `openai-responses-v1`. */
  readonly format: ReasoningFormat;
  /** `reasoningContent`: whether it takes raw reasoning text back. Its issuer refuses any; open servers want it. */
  readonly takesReasoningText: boolean;
  /** `hostedTools`: the kinds it runs or knows by name. Usually none. */
  readonly hostedTools: ReadonlySet<HostedKind>;
  /** `efforts`: those it takes; the nearest is sent. Usually whatever the model takes. */
  readonly efforts?: readonly Effort[];
  /** `serviceTiers`: the words it takes; others are not sent. Usually all. */
  readonly serviceTiers?: readonly string[];
  /** `omit`: body members, and parts of the dialect by their names there, that it does not take. */
  readonly omit: ReadonlySet<string>;
}

/** Of the makers whose own dialect this is. */
const formats = reasoningFormats.filter((format) => format.endsWith('-responses-v1'));
const hostedKinds: ReadonlySet<string> = new Set(Object.values(hostedKindOf));
const known = new WeakMap<Provider, ResponsesProfile>();

/** What a provider's quirks say; what they leave unsaid is the dialect's usual way. */
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
