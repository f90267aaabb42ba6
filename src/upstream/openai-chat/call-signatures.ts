import type { ReasoningFormat } from '../../core/delta.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { textOf } from '../lenient.ts';

/** The maker of the signatures that calls have at Gemini's compatible endpoint, and of those of its own dialect. */
export const callSignatureFormat = 'google-gemini-v1' satisfies ReasoningFormat;

/** The signature of the thoughts that led to a call, of which Gemini refuses the call without. */
export function callSignature(call: { readonly extra_content?: unknown }): string | undefined {
  const google = isObject(call.extra_content) ? call.extra_content.google : undefined;
  return isObject(google) ? textOf(google.thought_signature) : undefined;
}

/** The member of a call that carries its signature. */
export function signedCall(signature: string): JsonObject {
  return { extra_content: { google: { thought_signature: signature } } };
}
