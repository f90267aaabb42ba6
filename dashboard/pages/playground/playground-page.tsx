import { useEffect, useRef, useState } from 'preact/hooks';
import { mayChange, principal, session } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { RunAsChoice } from '../../parts/run-as-choice.tsx';
import { useRunAs } from '../../state/run-as.ts';
import { isShortcut } from '../../state/typing.ts';
import { choice, choose } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { Column } from './column.tsx';
import { type Body, requestOf, useDraft } from './draft.ts';
import { PictureField } from './picture-field.tsx';
import { pictures } from './pictures.ts';
import './playground.css';
import { PromptField } from './prompt-field.tsx';
import { SavePreset } from './save-preset.tsx';
import { Settings } from './settings.tsx';
import { useThreads } from './use-threads.ts';

const mostModels = 4;
const usual = 'sandbox/echo';

/** One prompt on up to four models, side by side. Each answer is an ordinary, charged request. */
export function PlaygroundPage() {
  const [draft, change] = useDraft();
  const runAs = useRunAs();
  const models = (choice('models') ?? usual).split(',').slice(0, mostModels);
  const { threads, isRunning, ...does } = useThreads(runAs.hash);
  const [fault, setFault] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const [isPlain, togglePlain] = usePlainText();
  const setModels = (next: readonly string[]) => choose({ models: next.join(',') }, { replace: true });

  const send = () => {
    if (draft.prompt.trim() === '') return setFault('Write a prompt first.');
    const attached = pictures.value.map(({ data }) => data);
    const bodies: Body[] = [];
    for (const model of models) {
      const asked = requestOf(draft, model, attached);
      if ('fault' in asked) return setFault(asked.fault);
      bodies.push(asked.body);
    }
    setFault(undefined);
    does.start(bodies);
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
        <PromptField prompt={draft.prompt} onPrompt={(prompt) => change({ prompt })} onSend={send} />
        <PictureField />
        <Settings draft={draft} change={change} />
        {fault !== undefined && (
          <p class="note bad" role="alert">
            {plain(fault)}
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
            <button type="button" class="button" onClick={does.stop}>
              <Icon name="stop" /> Stop
            </button>
          )}
          <span class="hint">Ctrl or ⌘ with Enter sends. Answers are charged like any request.</span>
          <span class="gap" />
          <button type="button" class="button small" aria-pressed={isPlain} onClick={togglePlain}>
            Plain text
          </button>
        </div>
      </section>
      <div class="columns" style={{ '--columns': models.length }}>
        {models.map((model, index) => (
          <Column
            key={index}
            model={model}
            draft={draft}
            keyHash={runAs.hash}
            thread={threads[index] ?? []}
            isPlain={isPlain}
            onModel={(next) => setModels(models.map((other, at) => (at === index ? next : other)))}
            onResults={(results) => does.answerCalls(index, results)}
            {...(models.length > 1
              ? {
                  onRemove: () => {
                    does.remove(index);
                    setModels(models.filter((_, at) => at !== index));
                  },
                }
              : {})}
          />
        ))}
      </div>
      {isSaving && <SavePreset draft={draft} model={models[0] ?? usual} onClose={() => setSaving(false)} />}
    </div>
  );
}

/** Whether answers are shown as they were written; the key `p` changes it. */
function usePlainText(): [boolean, () => void] {
  const [isPlain, setPlain] = useState(false);
  const toggle = () => setPlain((earlier) => !earlier);
  const latest = useRef(toggle);
  latest.current = toggle;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'p' && isShortcut(event) && !event.defaultPrevented) latest.current();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return [isPlain, toggle];
}
