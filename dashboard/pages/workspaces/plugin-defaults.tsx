import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { Workspace } from './queries.ts';

interface PluginDefaultsProps {
  readonly workspace: Workspace;
  readonly onChange: () => void;
}

type Defaults = NonNullable<Workspace['plugin_defaults']>;

const plugins: Readonly<Record<string, string>> = {
  web: 'Web search',
  'web-fetch': 'Reading web pages',
  'file-parser': 'Reading files',
  moderation: 'Moderation',
  'context-compression': 'Shortening of long conversations',
  'response-healing': 'Repair of JSON answers',
  'auto-router': 'Automatic choice of the model',
  'auto-beta-router': 'Automatic choice of the model, beta',
  'pareto-router': 'Choice by price and skill',
  fusion: 'Fusion',
};

/** Plugins that are on for requests of a workspace which do not name them. */
export function PluginDefaults({ workspace, onChange }: PluginDefaultsProps) {
  const [editing, setEditing] = useState<string>();
  const defaults = workspace.plugin_defaults ?? {};
  const rest = Object.keys(plugins).filter((id) => defaults[id] === undefined);
  return (
    <section class="card padded stack">
      <h2>Plugins by default</h2>
      {Object.keys(defaults).length === 0 && (
        <p class="muted">None: plugins run where requests name them, or as the installation says.</p>
      )}
      {Object.entries(defaults).map(([id, { config, enforced }]) => (
        <div key={id} class="plugin-row">
          <div class="row">
            <span>
              <strong>{plugins[id] ?? id}</strong>{' '}
              <span class="muted">
                {config?.enabled === false ? 'off' : 'on'}
                {enforced === true && ', requests cannot change it'}
              </span>
            </span>
            {mayChange() && (
              <button
                type="button"
                class="button small"
                aria-label={`Change ${plugins[id] ?? id}`}
                onClick={() => setEditing(id)}
              >
                Change
              </button>
            )}
          </div>
          {config !== undefined && Object.keys(config).length > 0 && (
            <pre>{JSON.stringify(config, null, 2)}</pre>
          )}
        </div>
      ))}
      {mayChange() && rest.length > 0 && (
        <label class="label">
          Add
          <select
            class="select"
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') setEditing(currentTarget.value);
              currentTarget.value = '';
            }}
          >
            <option value="">Choose a plugin…</option>
            {rest.map((id) => (
              <option key={id} value={id}>
                {plugins[id]}
              </option>
            ))}
          </select>
        </label>
      )}
      {editing !== undefined && (
        <EditDefault
          id={editing}
          workspace={workspace.id}
          defaults={defaults}
          onClose={() => {
            setEditing(undefined);
            onChange();
          }}
        />
      )}
    </section>
  );
}

interface EditDefaultProps {
  readonly id: string;
  readonly workspace: string;
  readonly defaults: Defaults;
  readonly onClose: () => void;
}

function EditDefault({ id, workspace, defaults, onClose }: EditDefaultProps) {
  const stored = defaults[id];
  const { enabled, ...settings } = stored?.config ?? {};
  const [failure, setFailure] = useState<string>();
  const store = async (next: Defaults) => {
    try {
      await send('PATCH', '/workspaces/{id}', { params: { id: workspace }, body: { plugin_defaults: next } });
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const config = parsedObject(String(data.get('settings') ?? ''));
    if (config === undefined)
      return setFailure('The settings must be a JSON object, such as {"max_results": 3}.');
    const isOff = data.get('state') === 'off';
    await store({
      ...defaults,
      [id]: {
        config: isOff ? { enabled: false, ...config } : config,
        enforced: data.get('enforced') !== null,
      },
    });
  };
  const remove = () => store(Object.fromEntries(Object.entries(defaults).filter(([name]) => name !== id)));
  return (
    <Dialog title={plugins[id] ?? id} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          Requests that do not name it
          <select class="select" name="state">
            <option value="on">have it</option>
            <option value="off" selected={enabled === false}>
              do not have it
            </option>
          </select>
        </label>
        <label class="label">
          Settings
          <textarea
            name="settings"
            class="mono"
            rows={5}
            spellcheck={false}
            defaultValue={JSON.stringify(settings, null, 2)}
          />
          <span class="hint">As JSON, with the members that requests write for this plugin</span>
        </label>
        <label class="row">
          <input type="checkbox" name="enforced" defaultChecked={stored?.enforced === true} />
          Requests cannot change it
        </label>
        {failure !== undefined && (
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-foot">
          {stored !== undefined && (
            <button type="button" class="button danger" onClick={() => void remove()}>
              Take away
            </button>
          )}
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
