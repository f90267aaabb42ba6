import { Copy } from '../../parts/copy.tsx';
import { Lines } from '../../parts/formatted-text.tsx';
import { many, plain, shown } from '../../text/format.ts';
import { Code } from './code.tsx';
import { type Draft, requestOf } from './draft.ts';
import { pictures, withoutPictureBytes } from './pictures.ts';
import { type Answer, noAnswer } from './run.ts';
import type { Thread } from './thread.ts';

interface ColumnPanelProps {
  readonly tab: string;
  readonly thread: Thread;
  readonly draft: Draft;
  readonly model: string;
}

/** What is known of the newest answer besides what it says. */
export function ColumnPanel({ tab, thread, draft, model }: ColumnPanelProps) {
  const answer = thread.at(-1)?.answer ?? noAnswer;
  if (tab === 'reasoning') {
    return answer.reasoning === '' ? (
      <p class="muted">No reasoning was shown.</p>
    ) : (
      <Lines text={answer.reasoning} />
    );
  }
  if (tab === 'items') return <Items answer={answer} />;
  if (tab === 'events') return <Events answer={answer} />;
  if (tab === 'metadata') {
    return answer.response === undefined ? (
      <p class="muted">Comes with the end of the answer.</p>
    ) : (
      <pre>{jsonOf(answer.response)}</pre>
    );
  }
  // A conversation is code of its last request; before that, of what would be sent.
  if (thread.length > 1) return <Code body={answer.body} />;
  const request = requestOf(
    draft,
    model,
    pictures.value.map(({ data }) => data),
  );
  return 'fault' in request ? <p class="note bad">{plain(request.fault)}</p> : <Code body={request.body} />;
}

function jsonOf(value: unknown): string {
  return shown(JSON.stringify(withoutPictureBytes(value), undefined, 2));
}

function Items({ answer: { items } }: { readonly answer: Answer }) {
  if (items.length === 0) return <p class="muted">No items yet.</p>;
  return (
    <div class="stack">
      {items.map((item, index) => (
        <details key={index} open={items.length === 1}>
          <summary>
            {index + 1}. <code>{plain(String(item.type))}</code>{' '}
            <span class="muted">{plain(String(item.status ?? ''))}</span>
          </summary>
          <pre>{jsonOf(item)}</pre>
        </details>
      ))}
    </div>
  );
}

function Events({ answer }: { readonly answer: Answer }) {
  if (answer.events.length === 0) return <p class="muted">No events yet.</p>;
  const text = answer.events.map((event) => `${event}\n\n`).join('');
  return (
    <div class="stack">
      <div class="row">
        <Copy text={text} label="Copy" />
        <span class="hint">
          As they came
          {answer.droppedEvents > 0 && `; ${many(answer.droppedEvents, 'further event')} not shown`}
        </span>
      </div>
      <pre>{shown(text)}</pre>
    </div>
  );
}
