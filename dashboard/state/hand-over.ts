/** A conversation that one page gives to the playground: its items as a request has them, and what its last turn asks. */
export interface HandedOver {
  readonly before: readonly Readonly<Record<string, unknown>>[];
  readonly prompt: string;
  /** Further members of the request, such as instructions. */
  readonly settings: Readonly<Record<string, unknown>>;
}

let waiting: HandedOver | undefined;

/** Gives a conversation to the page that is opened next; it is too long for an address, and is not stored anywhere. */
export function handOver(conversation: HandedOver): void {
  waiting = conversation;
}

/** What was given, once. */
export function takeHandOver(): HandedOver | undefined {
  const taken = waiting;
  waiting = undefined;
  return taken;
}
