import type { GenerationConversation } from '../../clients/headgate-api.ts';
import { sayAgain } from '../../src/content/conversation-items.ts';

export {
  isMedia,
  mediaWords,
  readMessage,
  responseText,
  type SaidMessage,
} from '../../src/content/conversation-items.ts';

/** A conversation that one page gives to the playground: its items as a request has them, and what its last turn asks. */
export interface HandedOver {
  readonly before: readonly Readonly<Record<string, unknown>>[];
  readonly prompt: string;
  /** Further members of the request, such as instructions. */
  readonly settings: Readonly<Record<string, unknown>>;
}

let waiting: HandedOver | undefined;

/** Gives a conversation to the page that is opened next; it is too long for an address, and is stored nowhere on its way. */
export function handOver(conversation: HandedOver): void {
  waiting = conversation;
}

/** What was given, once. */
export function takeHandOver(): HandedOver | undefined {
  const taken = waiting;
  waiting = undefined;
  return taken;
}

/** A conversation as the playground takes it: the last thing that a person said becomes the prompt, all before goes along. */
export function asHandedOver(
  conversation: GenerationConversation,
  replay: Readonly<Record<string, unknown>> | null,
): HandedOver {
  const { items, settings } = sayAgain(conversation, replay);
  const last = items.at(-1);
  const isAsked = last?.role === 'user';
  return {
    before: isAsked ? items.slice(0, -1) : items,
    prompt: isAsked ? String(last.content) : '',
    settings,
  };
}
