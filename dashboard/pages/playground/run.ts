import { CallFailure } from '../../api/errors.ts';
import { type StreamedEvent, streamResponse } from '../../api/stream.ts';
import type { Body } from './draft.ts';

/** One item of an answer, as the interface gives it. */
export type Item = Readonly<Record<string, unknown>>;

/** One answer while it arrives. */
export interface Answer {
  readonly state: 'idle' | 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  /** What was sent. */
  readonly body: Body;
  readonly text: string;
  readonly reasoning: string;
  /** Items that are whole. */
  readonly items: readonly Item[];
  /** A picture that is not finished, as base64. */
  readonly unfinishedPicture: string | undefined;
  /** Events as they came, byte for byte. */
  readonly events: readonly string[];
  readonly eventsLength: number;
  /** Events that were left out, because there were too many to show. */
  readonly droppedEvents: number;
  readonly failure: string | undefined;
  readonly generation: string | undefined;
  /** Milliseconds. */
  readonly firstToken: number | undefined;
  readonly total: number | undefined;
  readonly response: Readonly<Record<string, unknown>> | undefined;
}

export const noAnswer: Answer = {
  state: 'idle',
  body: {},
  text: '',
  reasoning: '',
  items: [],
  unfinishedPicture: undefined,
  events: [],
  eventsLength: 0,
  droppedEvents: 0,
  failure: undefined,
  generation: undefined,
  firstToken: undefined,
  total: undefined,
  response: undefined,
};

const mostEvents = 2_000;
/** Characters of all events that are kept: pictures come in events too. */
const mostEventText = 4_000_000;

export function isRunning({ state }: Answer): boolean {
  return state === 'waiting' || state === 'streaming';
}

/** Streams one answer; `update` hears of it once a frame at most. */
export async function runAnswer(
  body: Body,
  keyHash: string | undefined,
  signal: AbortSignal,
  update: (answer: Answer) => void,
): Promise<void> {
  const begun = performance.now();
  let answer: Answer = { ...noAnswer, state: 'waiting', body };
  let isDrawn = false;
  const show = (next: Answer) => {
    answer = next;
    if (isDrawn) return;
    isDrawn = true;
    requestAnimationFrame(() => {
      isDrawn = false;
      update(answer);
    });
  };
  update(answer);
  try {
    const { id, events } = await streamResponse(body, keyHash, signal);
    show({ ...answer, generation: id });
    for await (const event of events) show(folded(answer, event, performance.now() - begun));
    show({
      ...answer,
      state: answer.state === 'failed' ? 'failed' : 'done',
      total: performance.now() - begun,
    });
  } catch (error) {
    const total = performance.now() - begun;
    show(
      signal.aborted
        ? { ...answer, state: 'stopped', total }
        : { ...answer, state: 'failed', failure: whyBroken(error), total },
    );
  }
}

/** Browsers have many words for a connection that breaks. */
function whyBroken(error: unknown): string {
  if (error instanceof CallFailure) return error.message;
  return 'The connection broke before the answer had ended. It is not sent again by itself.';
}

/** An answer with one more event. */
export function folded(answer: Answer, { text, data }: StreamedEvent, now: number): Answer {
  const next = withEvent(answer, text);
  const { type, delta, response } = data;
  const firstToken = answer.firstToken ?? now;
  switch (type) {
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return { ...next, state: 'streaming', text: answer.text + String(delta), firstToken };
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      return { ...next, state: 'streaming', reasoning: answer.reasoning + String(delta), firstToken };
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      return { ...next, state: 'streaming', firstToken };
    case 'response.image_generation_call.partial_image':
      return { ...next, state: 'streaming', unfinishedPicture: String(data.partial_image_b64), firstToken };
    case 'response.output_item.done':
      return { ...next, items: [...answer.items, data.item as Item], unfinishedPicture: undefined };
    case 'response.completed':
    case 'response.incomplete':
      return { ...next, response: response as Answer['response'] };
    case 'response.failed':
    case 'error':
      return { ...next, state: 'failed', failure: failureOf(data), response: response as Answer['response'] };
    default:
      return next;
  }
}

function withEvent(answer: Answer, text: string): Answer {
  const eventsLength = answer.eventsLength + text.length;
  const isFull = answer.events.length >= mostEvents || eventsLength > mostEventText;
  if (isFull || answer.droppedEvents > 0) return { ...answer, droppedEvents: answer.droppedEvents + 1 };
  return { ...answer, events: [...answer.events, text], eventsLength };
}

function failureOf(data: StreamedEvent['data']): string {
  const response = data.response as { readonly error?: { readonly message?: string } } | undefined;
  const error = data.error as { readonly message?: string } | undefined;
  const said = response?.error?.message ?? error?.message ?? data.message;
  return typeof said === 'string' ? said : 'The answer broke off.';
}
