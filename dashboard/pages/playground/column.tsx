import { useState } from 'preact/hooks';
import { Copy } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ModelInput } from '../../parts/model-input.tsx';
import { State } from '../../parts/state.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { href } from '../../state/url.ts';
import { curlCode, pythonCode, typescriptCode } from '../../text/code.ts';
import { count, duration, many, nanoOf, usd } from '../../text/format.ts';
import { Ceiling } from './ceiling.tsx';
import { type Draft, requestOf } from './draft.ts';
import type { Answer } from './run.ts';

interface ColumnProps {
  readonly model: string;
  readonly draft: Draft;
  readonly keyHash: string | undefined;
  readonly answer: Answer;
  readonly onModel: (model: string) => void;
  readonly onRemove?: () => void;
}

const tabs = [
  { name: 'answer', label: 'Answer' },
  { name: 'reasoning', label: 'Reasoning' },
  { name: 'events', label: 'Events' },
  { name: 'metadata', label: 'Metadata' },
  { name: 'code', label: 'Code' },
];

/** One model and its answer. */
export function Column({ model, draft, keyHash, answer, onModel, onRemove }: ColumnProps) {
  const [tab, setTab] = useState('answer');
  return (
    <section class="card column" aria-label={model}>
      <div class="column-head">
        <ModelInput label="Model" value={model} onChange={onModel} />
        {onRemove !== undefined && (
          <button type="button" class="button plain small" aria-label={`Remove ${model}`} onClick={onRemove}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <Ceiling draft={draft} model={model} keyHash={keyHash} />
      <Tabs label={`About the answer of ${model}`} tabs={tabs} chosen={tab} onChoose={setTab}>
        <div class="column-body">
          <Shown tab={tab} answer={answer} draft={draft} model={model} />
        </div>
      </Tabs>
      <Foot answer={answer} />
    </section>
  );
}

function Shown({
  tab,
  answer,
  draft,
  model,
}: {
  readonly tab: string;
  readonly answer: Answer;
  readonly draft: Draft;
  readonly model: string;
}) {
  switch (tab) {
    case 'reasoning':
      return answer.reasoning === '' ? (
        <p class="muted">No reasoning was shown.</p>
      ) : (
        <p class="answer">{answer.reasoning}</p>
      );
    case 'events':
      return <Events answer={answer} />;
    case 'metadata':
      return answer.response === undefined ? (
        <p class="muted">Comes with the end of the answer.</p>
      ) : (
        <pre>{JSON.stringify(answer.response, undefined, 2)}</pre>
      );
    case 'code':
      return <Code draft={draft} model={model} />;
    default:
      return <AnswerText answer={answer} />;
  }
}

function AnswerText({ answer }: { readonly answer: Answer }) {
  if (answer.state === 'idle') return <p class="muted">The answer appears here.</p>;
  return (
    <>
      {answer.text === '' && answer.state === 'waiting' && <p class="muted">Waiting for the first token…</p>}
      {answer.text === '' && answer.state === 'streaming' && <p class="muted">Reasoning…</p>}
      <p class="answer">{answer.text}</p>
      {answer.failure !== undefined && (
        <p class="note bad" role="alert">
          {answer.failure}
        </p>
      )}
      <span class="hidden" role="status">
        {answer.state === 'done'
          ? `Answer complete: ${answer.text}`
          : answer.state === 'stopped'
            ? 'Stopped'
            : ''}
      </span>
    </>
  );
}

function Events({ answer }: { readonly answer: Answer }) {
  if (answer.events.length === 0) return <p class="muted">No events yet.</p>;
  return (
    <>
      {answer.droppedEvents > 0 && (
        <p class="hint">{many(answer.droppedEvents, 'further event')} not shown.</p>
      )}
      <pre>{answer.events.join('\n')}</pre>
    </>
  );
}

const languages = { curl: curlCode, TypeScript: typescriptCode, Python: pythonCode } as const;

function Code({ draft, model }: { readonly draft: Draft; readonly model: string }) {
  const [language, setLanguage] = useState<keyof typeof languages>('curl');
  const request = requestOf(draft, model);
  if ('fault' in request) return <p class="note bad">{request.fault}</p>;
  const text = languages[language]({
    address: new URL('../api/v1', document.baseURI).href,
    body: request.body,
  });
  return (
    <div class="stack">
      <div class="row">
        <fieldset class="segments" aria-label="Language">
          {Object.keys(languages).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === language}
              onClick={() => setLanguage(name as keyof typeof languages)}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <Copy text={text} label="Copy" />
      </div>
      <pre>{text}</pre>
    </div>
  );
}

function Foot({ answer }: { readonly answer: Answer }) {
  const usage = answer.response?.usage as
    | { readonly output_tokens?: number; readonly cost?: number | null }
    | null
    | undefined;
  const streamed = (answer.total ?? 0) - (answer.firstToken ?? 0);
  const speed =
    usage?.output_tokens !== undefined && answer.firstToken !== undefined && streamed > 0
      ? Math.round((usage.output_tokens * 1000) / streamed)
      : undefined;
  return (
    <div class="column-foot">
      {answer.state === 'idle' ? (
        <span class="muted">not sent yet</span>
      ) : (
        <>
          <AnswerState answer={answer} />
          {answer.firstToken !== undefined && <span>first token {duration(answer.firstToken)}</span>}
          {speed !== undefined && <span>{count(speed)} tok/s</span>}
          {usage?.cost != null && <span>{usd(nanoOf(usage.cost))}</span>}
          {answer.generation !== undefined && answer.state !== 'waiting' && answer.state !== 'streaming' && (
            <a href={href(`requests/${encodeURIComponent(answer.generation)}`)}>Details</a>
          )}
        </>
      )}
    </div>
  );
}

function AnswerState({ answer: { state } }: { readonly answer: Answer }) {
  if (state === 'done') return <State tone="good">done</State>;
  if (state === 'failed') return <State tone="bad">failed</State>;
  if (state === 'stopped') return <State tone="warn">stopped</State>;
  return <State tone="muted">{state}</State>;
}
