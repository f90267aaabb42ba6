import { useEffect, useRef, useState } from 'preact/hooks';
import { mayChange, principal, session } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { RunAsChoice } from '../../parts/run-as-choice.tsx';
import { useRunAs } from '../../state/run-as.ts';
import { choice, choose } from '../../state/url.ts';
import { Column } from './column.tsx';
import { requestOf, useDraft } from './draft.ts';
import './playground.css';
import { type Answer, noAnswer, runAnswer } from './run.ts';
import { SavePreset } from './save-preset.tsx';
import { Settings } from './settings.tsx';

const mostModels = 4;
const usual = 'sandbox/echo';

/** One prompt on up to four models, side by side. Each answer is an ordinary, charged request. */
export function PlaygroundPage() {
  const [draft, change] = useDraft();
  const runAs = useRunAs();
  const models = (choice('models') ?? usual).split(',').slice(0, mostModels);
  const [answers, setAnswers] = useState<readonly Answer[]>([]);
  const [fault, setFault] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const running = useRef<AbortController>(undefined);
  const isRunning = answers.some(({ state }) => state === 'waiting' || state === 'streaming');
  const setModels = (next: readonly string[]) => choose({ models: next.join(',') }, { replace: true });
  useEffect(() => () => running.current?.abort(), []);

  const send = () => {
    if (draft.prompt.trim() === '') return setFault('Write a prompt first.');
    const asked = models.map((model) => requestOf(draft, model));
    const wrong = asked.find((one) => 'fault' in one);
    if (wrong !== undefined && 'fault' in wrong) return setFault(wrong.fault);
    setFault(undefined);
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    setAnswers(models.map(() => noAnswer));
    for (const [index, one] of asked.entries()) {
      if (!('body' in one)) continue;
      const update = (answer: Answer) =>
        setAnswers((earlier) =>
          signal === running.current?.signal
            ? earlier.map((other, at) => (at === index ? answer : other))
            : earlier,
        );
      void runAnswer(one.body, runAs.hash, signal, update);
    }
  };

  if (session.value?.features.read_only)
    return <p class="note warn">This dashboard is read-only: nothing can be sent.</p>;
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Playground</h1>
        <span class="gap" />
        <RunAsChoice runAs={runAs} />
        {mayChange() && principal.value?.role !== 'key' && (
          <button type="button" class="button" onClick={() => setSaving(true)}>
            Save as preset
          </button>
        )}
        {models.length < mostModels && (
          <button type="button" class="button" onClick={() => setModels([...models, models.at(-1) ?? usual])}>
            <Icon name="plus" /> Model
          </button>
        )}
      </div>
      <section class="card padded stack">
        <label class="label">
          Prompt
          <textarea
            rows={4}
            value={draft.prompt}
            placeholder="Ask something…"
            onInput={({ currentTarget }) => change({ prompt: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send();
            }}
          />
        </label>
        <Settings draft={draft} change={change} />
        {fault !== undefined && (
          <p class="note bad" role="alert">
            {fault}
          </p>
        )}
        <div class="row">
          <button
            type="button"
            class="button primary"
            disabled={runAs.isMissing || runAs.isLoading}
            onClick={send}
          >
            <Icon name="send" /> Send
          </button>
          {isRunning && (
            <button type="button" class="button" onClick={() => running.current?.abort()}>
              <Icon name="stop" /> Stop
            </button>
          )}
          <span class="hint">Ctrl or ⌘ with Enter sends. Answers are charged like any request.</span>
        </div>
      </section>
      <div class="columns" style={{ '--columns': models.length }}>
        {models.map((model, index) => (
          <Column
            key={index}
            model={model}
            draft={draft}
            keyHash={runAs.hash}
            answer={answers[index] ?? noAnswer}
            onModel={(next) => setModels(models.map((other, at) => (at === index ? next : other)))}
            {...(models.length > 1
              ? { onRemove: () => setModels(models.filter((_, at) => at !== index)) }
              : {})}
          />
        ))}
      </div>
      {isSaving && <SavePreset draft={draft} model={models[0] ?? usual} onClose={() => setSaving(false)} />}
    </div>
  );
}
