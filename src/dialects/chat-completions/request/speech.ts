import type { CanonicalChat } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed } from '../../../schema/fault.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { anyObject, anyOf, choice, list, Type, text } from '../../../util/json-schema.ts';

/** `audio`: how speech in the answer sounds, in the provider's words. */
export const SpeechSchema = Type.Object({
  voice: anyOf(text({ minLength: 1 }), anyObject()),
  format: text({ minLength: 1 }),
});

const checkSpeech = createChecker(SpeechSchema);

/** `prediction`: text that the answer is expected to repeat in large part. */
export const PredictionSchema = Type.Object({
  type: choice('content'),
  content: anyOf(text(), list(Type.Object({ type: choice('text'), text: text() }), { minItems: 1 })),
});

const checkPrediction = createChecker(PredictionSchema);

/** The members of a body that say which kinds of output are wanted. */
interface OutputMembers {
  readonly modalities?: readonly ('text' | 'image' | 'audio')[];
  readonly audio?: unknown;
}

/**
 * Reads `modalities` and `audio` (docs/spec/chat.md#speech). Text is always among the output.
 * @throws HeadgateError `invalid_request` for speech without a voice, `unprocessable` for a voice without speech.
 */
export function readSpeech({
  modalities = [],
  audio,
}: OutputMembers): Pick<CanonicalChat, 'outputModalities' | 'speech'> {
  const kinds = (['image', 'audio'] as const).filter((kind) => modalities.includes(kind));
  const outputModalities = ['text' as const, ...kinds];
  const isUnset = audio === undefined || audio === null;
  if (!kinds.includes('audio')) {
    if (isUnset) return { outputModalities };
    throw contradictory('audio', 'needs "audio" among modalities');
  }
  if (isUnset)
    throw malformed('audio', 'is required with "audio" among modalities: an object with voice and format');
  const { voice, format } = checkSpeech(audio, 'audio');
  refuseDeep(voice, 'audio.voice');
  return { outputModalities, speech: { voice, format } };
}

/** Reads `prediction`; texts of several parts follow each other. @throws HeadgateError `invalid_request`. */
export function readPrediction(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const { content } = checkPrediction(value, 'prediction');
  const whole = typeof content === 'string' ? content : textOfParts(content);
  return whole === '' ? undefined : whole;
}

function textOfParts(parts: unknown): string {
  return (Array.isArray(parts) ? parts : []).map((part) => (isObject(part) ? part.text : '')).join('');
}

/**
 * What a replayed message says aloud, as text (docs/spec/chat.md#speech): the recording is with its provider, which
 * keeps it for an hour or so, and another may answer now.
 * @throws HeadgateError `unprocessable` for speech without its transcript.
 */
export function readTranscript({ audio }: JsonObject, path: string): string | undefined {
  if (!isObject(audio)) return undefined;
  const { transcript } = audio;
  if (typeof transcript === 'string') return transcript;
  throw contradictory(`${path}.audio.transcript`, 'is required: recordings are not kept, only what they say');
}
