import { hideKeys } from './api-key.ts';
import { type ErrorCode, errorTable, type HeadgateError } from './errors.ts';

/** Their messages quote what the body says, so that its author finds it. */
const quotingCodes: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'unprocessable']);
const quotedText = /"(?:[^"\\]|\\.)*"/g;

/**
 * The message of an error as logs and records may hold it: without prompts (docs/spec/operations.md#logs), which a
 * provider's words may repeat, and a quoted value may be a part of; and without keys.
 */
export function shownReason({ code, message, metadata }: HeadgateError): string {
  if (metadata.provider_name !== undefined) return errorTable[code].text;
  return hideKeys(quotingCodes.has(code) ? message.replaceAll(quotedText, '"..."') : message);
}
