import { useEffect, useRef, useState } from 'preact/hooks';
import { mayChange, principal, session } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { RunAsChoice } from '../../parts/run-as-choice.tsx';
import { useModels } from '../../state/models.ts';
import { type RunAs, useRunAs } from '../../state/run-as.ts';
import { isShortcut } from '../../state/typing.ts';
import { choice, choose } from '../../state/url.ts';
import { many, plain, shown } from '../../text/format.ts';
import { Column } from './column.tsx';
import { type Body, type Draft, requestOf, settingsOf } from './draft.ts';
import { PictureField } from './picture-field.tsx';
import { pictures } from './pictures.ts';
import './playground.css';
import { PresetChoice } from './preset-choice.tsx';
import { PromptField } from './prompt-field.tsx';
import { SavePreset } from './save-preset.tsx';
import { SettingsForm } from './settings-form.tsx';
import { type Drafts, useDrafts } from './use-drafts.ts';
import { type Threads, useThreads } from './use-threads.ts';

const mostModels = 4;
const usual = 'sandbox/echo';

/** One prompt on up to four models, side by side. Each answer is an ordinary, charged request. */
export function PlaygroundPage() {
  const drafts = useDrafts();
  const runAs = useRunAs();
  const preset = choice('preset');
  const models = (choice('models') ?? (preset === undefined ? usual : '')).split(',').slice(0, mostModels);
  const columns = models.map((model, index) => ({
    model,
    draft: { prompt: drafts.prompt, before: drafts.before, preset, ...drafts.at(index) },
  }));
  const threads = useThreads(runAs.hash);
  const [fault, setFault] = useState<string>();
  const [isPlain, togglePlain] = usePlainText();

  const send = () => {
    const asked = bodiesOf(columns);
    if (typeof asked === 'string') return setFault(asked);
    setFault(undefined);
    threads.start(asked);
  };

  if (session.value?.features.read_only)
    return <p class="note warn">This dashboard is read-only: nothing can be sent.</p>;
  return (
    <div class="page">
      <Head runAs={runAs} columns={columns} drafts={drafts} />
      <section class="card padded stack">
        <Before drafts={drafts} />
        <PromptField prompt={drafts.prompt} onPrompt={drafts.setPrompt} onSend={send} />
        <PictureField />
        {drafts.isLinked && (
          <SettingsForm
            models={models}
            settings={drafts.at(0)}
            change={(changed) => drafts.change(0, changed)}
          />
        )}
        {fault !== undefined && (
          <p class="note bad" role="alert">
            {plain(fault)}
          </p>
        )}
        <div class="row">
          <button
            type="button"
            class="button primary"
            disabled={runAs.isMissing || runAs.isLoading || runAs.error !== undefined}
            onClick={send}
          >
            <Icon name="send" /> Send
          </button>
          {threads.isRunning && (
            <button type="button" class="button" onClick={threads.stop}>
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
      <Columns columns={columns} drafts={drafts} threads={threads} keyHash={runAs.hash} isPlain={isPlain} />
    </div>
  );
}

/** What was said before the prompt, and how to leave it out. */
function Before({ drafts: { before, forgetBefore } }: { readonly drafts: Drafts }) {
  if (before.length === 0) return null;
  return (
    <details class="note">
      <summary>
        {many(before.length, 'item')} of a conversation {before.length === 1 ? 'comes' : 'come'} before the
        prompt
      </summary>
      <pre class="before">{shown(JSON.stringify(before, undefined, 2))}</pre>
      <button type="button" class="button small" onClick={forgetBefore}>
        Leave them out
      </button>
    </details>
  );
}

/** A model and what is sent to it. */
interface ColumnDraft {
  readonly model: string;
  readonly draft: Draft;
}

/** The requests of all columns, or what is wrong with one of them. */
function bodiesOf(columns: readonly ColumnDraft[]): readonly Body[] | string {
  const attached = pictures.value.map(({ data }) => data);
  const bodies: Body[] = [];
  for (const { model, draft } of columns) {
    if (draft.prompt.trim() === '' && draft.before.length === 0) return 'Write a prompt first.';
    const asked = requestOf(draft, model, attached);
    if ('fault' in asked) return columns.length > 1 ? `${model}: ${asked.fault}` : asked.fault;
    bodies.push(asked.body);
  }
  return bodies;
}

const setModels = (models: readonly string[]) => choose({ models: models.join(',') }, { replace: true });

interface HeadProps {
  readonly runAs: RunAs;
  readonly columns: readonly ColumnDraft[];
  readonly drafts: Drafts;
}

/** What holds for all columns: the key, the preset, whether their settings are linked, and one more column. */
function Head({ runAs, columns, drafts }: HeadProps) {
  const [isSaving, setSaving] = useState(false);
  const known = useModels();
  const models = columns.map(({ model }) => model);
  const addColumn = () => {
    drafts.addColumn(models.length);
    // Another model, to compare with; a column without one has that of the preset.
    const other = known.data?.data.find(({ id }) => !models.includes(id))?.id;
    setModels([...models, models.at(-1) === '' ? '' : (other ?? usual)]);
  };
  const copyPreset = ({ model, ...body }: Body) => {
    drafts.replaceAll(settingsOf(body), models.length);
    const named = typeof model === 'string' ? model : usual;
    choose({ preset: undefined, models: models.map((one) => one || named).join(',') }, { replace: true });
  };
  return (
    <div class="page-head">
      <h1 tabIndex={-1}>Playground</h1>
      <span class="gap" />
      <RunAsChoice runAs={runAs} />
      <PresetChoice
        runAs={runAs}
        value={choice('preset')}
        onChange={(preset) => choose({ preset }, { replace: true })}
        onCopy={copyPreset}
      />
      {(models.length > 1 || !drafts.isLinked) && (
        <label class="row linked">
          <input
            type="checkbox"
            checked={drafts.isLinked}
            onChange={({ currentTarget }) => drafts.link(currentTarget.checked, models.length)}
          />
          Linked settings
        </label>
      )}
      {mayChange('presets') && principal.value?.role !== 'key' && (
        <button type="button" class="button" onClick={() => setSaving(true)}>
          Save as preset
        </button>
      )}
      {models.length < mostModels && (
        <button type="button" class="button" onClick={addColumn}>
          <Icon name="plus" /> Model
        </button>
      )}
      {isSaving && (
        <SavePreset
          columns={drafts.isLinked ? columns.slice(0, 1) : columns}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

interface ColumnsProps {
  readonly columns: readonly ColumnDraft[];
  readonly drafts: Drafts;
  readonly threads: Threads;
  readonly keyHash: string | undefined;
  readonly isPlain: boolean;
}

function Columns({ columns, drafts, threads, keyHash, isPlain }: ColumnsProps) {
  const models = columns.map(({ model }) => model);
  const remove = (index: number) => {
    threads.remove(index);
    drafts.removeColumn(index);
    setModels(models.toSpliced(index, 1));
  };
  return (
    <div class="columns" style={{ '--columns': columns.length }}>
      {columns.map(({ model, draft }, index) => (
        <Column
          key={index}
          model={model}
          draft={draft}
          keyHash={keyHash}
          thread={threads.threads[index] ?? []}
          isPlain={isPlain}
          change={drafts.isLinked ? undefined : (changed) => drafts.change(index, changed)}
          onModel={(next) => setModels(models.with(index, next))}
          onResults={(results) => threads.answerCalls(index, results)}
          {...(columns.length > 1 ? { onRemove: () => remove(index) } : {})}
        />
      ))}
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
