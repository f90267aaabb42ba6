import { useState } from 'preact/hooks';
import { request } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { choice, go, href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { type Draft, requestOf } from './draft.ts';

interface SavePresetProps {
  /** What each column sends; more than one where they differ in their settings. */
  readonly columns: readonly { readonly model: string; readonly draft: Draft }[];
  readonly onClose: () => void;
}

/** Stores the instructions, the settings and the model of the playground under a name. Nothing is sent to a model. */
export function SavePreset({ columns, onClose }: SavePresetProps) {
  const [chosen, setChosen] = useState(0);
  const [failure, setFailure] = useState<string>();
  const { workspaces = [] } = principal.value ?? {};
  const column = columns[chosen];
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const slug = String(data.get('slug') ?? '').trim();
    const workspace = String(data.get('workspace') ?? workspaces[0]?.id ?? '');
    if (column === undefined) return;
    const asked = requestOf(column.draft, column.model);
    if ('fault' in asked) return setFailure(asked.fault);
    const { input: _, preset: _preset, ...body } = asked.body;
    const path = `ui/api/presets/${encodeURIComponent(slug)}/responses`;
    try {
      const stored = await request('POST', path, { query: { workspace_id: workspace }, body });
      await stored.arrayBuffer();
      go(href(`presets/${slug}`, { of: workspace }));
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Save as preset" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p class="muted">
          Keeps the model, the instructions and the settings, not the prompt. A name that exists gets a new
          version, which requests use from then on.
        </p>
        {column?.draft.preset !== undefined && (
          <p class="note warn">
            What the preset <code>{plain(column.draft.preset)}</code> sets is not kept. Copy it into the
            settings first.
          </p>
        )}
        {columns.length > 1 && (
          <label class="label">
            Of the column
            <select
              class="select"
              value={String(chosen)}
              onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
            >
              {columns.map(({ model }, index) => (
                <option key={index} value={String(index)}>
                  {index + 1}. {model === '' ? 'the preset’s model' : plain(model)}
                </option>
              ))}
            </select>
          </label>
        )}
        {columns.length === 1 && column !== undefined && column.model !== '' && (
          <p>
            Model <code>{plain(column.model)}</code>
          </p>
        )}
        <label class="label">
          Name
          <input
            class="field mono"
            name="slug"
            required
            maxLength={64}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
            title="Letters, digits, dots, hyphens and underscores"
            autocomplete="off"
            placeholder="terse"
          />
        </label>
        {workspaces.length > 1 && (
          <label class="label">
            Workspace
            <select class="select" name="workspace">
              {workspaces.map(({ id, name }) => (
                <option key={id} value={id} selected={id === choice('workspace')}>
                  {plain(name)}
                </option>
              ))}
            </select>
          </label>
        )}
        <DialogFoot action="Save" failure={failure} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
