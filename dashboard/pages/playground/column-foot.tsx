import { State } from '../../parts/state.tsx';
import { href } from '../../state/url.ts';
import { count, duration, nanoOf, usd } from '../../text/format.ts';
import { type Answer, isRunning, noAnswer } from './run.ts';
import type { Thread } from './thread.ts';

/** Milliseconds of a stream below which its speed says nothing. */
const shortest = 100;

/** How the newest answer stands: its state, times and cost. */
export function ColumnFoot({ thread }: { readonly thread: Thread }) {
  const answer = thread.at(-1)?.answer ?? noAnswer;
  const usage = usageOf(answer);
  const streamed = (answer.total ?? 0) - (answer.firstToken ?? 0);
  const speed =
    usage?.output_tokens !== undefined && answer.firstToken !== undefined && streamed > shortest
      ? Math.round((usage.output_tokens * 1000) / streamed)
      : undefined;
  if (answer.state === 'idle') {
    return (
      <div class="column-foot">
        <span class="muted">not sent yet</span>
      </div>
    );
  }
  return (
    <div class="column-foot">
      <AnswerState answer={answer} />
      {answer.firstToken !== undefined && <span>first token {duration(answer.firstToken)}</span>}
      {speed !== undefined && <span>{count(speed)} tok/s</span>}
      {usage?.cost != null && <span>{usd(nanoOf(usage.cost))}</span>}
      {answer.generation !== undefined && !isRunning(answer) && (
        <a href={href(`requests/${encodeURIComponent(answer.generation)}`)}>Details</a>
      )}
    </div>
  );
}

function usageOf({ response }: Answer) {
  return response?.usage as
    | { readonly output_tokens?: number; readonly cost?: number | null }
    | null
    | undefined;
}

function AnswerState({ answer: { state } }: { readonly answer: Answer }) {
  if (state === 'done') return <State tone="good">done</State>;
  if (state === 'failed') return <State tone="bad">failed</State>;
  if (state === 'stopped') return <State tone="warn">stopped</State>;
  return <State tone="muted">{state}</State>;
}
