import { useState } from 'preact/hooks';
import type { UpdateWorkspace } from '../../clients/headgate-api.ts';
import { messageOf } from '../api/errors.ts';
import { Dialog } from './dialog.tsx';

/** Plugins that are on by default, by their ids. */
export type PluginDefaultsByName = NonNullable<UpdateWorkspace['plugin_defaults']>;

interface EditPluginDefaultProps {
  readonly id: string;
  readonly name: string;
  readonly defaults: PluginDefaultsByName;
  /** Stores all of them. */
  readonly store: (next: PluginDefaultsByName) => Promise<unknown>;
  readonly onClose: () => void;
}

/** A form for the default of one plugin. */
export function EditPluginDefault({ id, name, defaults, store, onClose }: EditPluginDefaultProps) {
  const stored = defaults[id];
  const { enabled, ...settings } = stored?.config ?? {};
  const [failure, setFailure] = useState<string>();
  const save = async (next: PluginDefaultsByName) => {
    try {
      await store(next);
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
    await save({
      ...defaults,
      [id]: {
        config: isOff ? { enabled: false, ...config } : config,
        enforced: data.get('enforced') !== null,
      },
    });
  };
  const remove = () => save(Object.fromEntries(Object.entries(defaults).filter(([other]) => other !== id)));
  return (
    <Dialog title={name} onClose={onClose}>
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
