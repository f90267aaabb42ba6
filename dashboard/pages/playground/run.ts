import { messageOf } from '../../api/errors.ts';
import { type StreamedEvent, streamResponse } from '../../api/stream.ts';

/** One answer while it arrives. */
export interface Answer {
  readonly state: 'idle' | 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  readonly text: string;
  readonly reasoning: string;
  readonly events: readonly string[];
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
  text: '',
  reasoning: '',
  events: [],
  droppedEvents: 0,
  failure: undefined,
  generation: undefined,
  firstToken: undefined,
  total: undefined,
  response: undefined,
};

const mostEvents = 2_000;

/** Streams one answer; `update` hears of it once a frame at most. */
export async function runAnswer(
  body: Readonly<Record<string, unknown>>,
  keyHash: string | undefined,
  signal: AbortSignal,
  update: (answer: Answer) => void,
): Promise<void> {
  const begun = performance.now();
  let answer: Answer = { ...noAnswer, state: 'waiting' };
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
        : { ...answer, state: 'failed', failure: messageOf(error), total },
    );
  }
}

/** An answer with one more event. */
export function folded(answer: Answer, { text, data }: StreamedEvent, now: number): Answer {
  const isFull = answer.events.length >= mostEvents;
  const next: Answer = isFull
    ? { ...answer, droppedEvents: answer.droppedEvents + 1 }
    : { ...answer, events: [...answer.events, text] };
  const { type, delta, response } = data;
  const firstToken = answer.firstToken ?? now;
  if (type === 'response.output_text.delta' || type === 'response.refusal.delta') {
    return { ...next, state: 'streaming', text: answer.text + String(delta), firstToken };
  }
  if (type === 'response.reasoning_text.delta' || type === 'response.reasoning_summary_text.delta') {
    return { ...next, state: 'streaming', reasoning: answer.reasoning + String(delta), firstToken };
  }
  if (type === 'response.completed' || type === 'response.incomplete') {
    return { ...next, response: response as Answer['response'] };
  }
  if (type === 'response.failed' || type === 'error') {
    return { ...next, state: 'failed', failure: failureOf(data), response: response as Answer['response'] };
  }
  return next;
}

function failureOf(data: StreamedEvent['data']): string {
  const response = data.response as { readonly error?: { readonly message?: string } } | undefined;
  const error = data.error as { readonly message?: string } | undefined;
  const said = response?.error?.message ?? error?.message ?? data.message;
  return typeof said === 'string' ? said : 'The answer broke off.';
}
