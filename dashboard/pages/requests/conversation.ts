import type { GenerationConversation } from '../../../clients/headgate-api.ts';
import { readMessage, type SaidMessage } from '../../state/hand-over.ts';

/** All that was said, in its order: the instructions, the messages, and the answer. */
export function messagesOf({ system, messages, output }: GenerationConversation): readonly SaidMessage[] {
  return [
    ...(system.length === 0 ? [] : [{ role: 'system', parts: system }]),
    ...messages.map(readMessage),
    ...(output === null ? [] : [readMessage(output)]),
  ];
}

/** A text as JSON with lines, where it is some. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
