import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { loadSession } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { ModelInput } from '../../parts/model-input.tsx';
import type { Workspace } from './queries.ts';
import { gatewayTools, toolName } from './tools.ts';

interface WorkspaceFormProps {
  readonly workspace?: Workspace;
  readonly onClose: () => void;
  /** Called with the id once it is stored. */
  readonly onDone: (id: string) => void;
}

/** Creates a workspace, or changes one. */
export function WorkspaceForm({ workspace, onClose, onDone }: WorkspaceFormProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [model, setModel] = useState(workspace?.default_text_model ?? '');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setBusy(true);
    setFailure(undefined);
    const body = { ...readForm(form), default_text_model: model === '' ? null : model };
    try {
      const { data } =
        workspace === undefined
          ? await send('POST', '/workspaces', { body })
          : await send('PATCH', '/workspaces/{id}', { params: { id: workspace.id }, body });
      await loadSession();
      onClose();
      onDone(data.id);
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={workspace === undefined ? 'New workspace' : 'Edit workspace'} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <NameFields workspace={workspace} />
        <div class="label">
          Model of requests that name none
          <ModelInput label="Model of requests that name none" value={model} onChange={setModel} />
        </div>
        <RoutingFields workspace={workspace} />
        <ObservabilityFields workspace={workspace} />
        <DialogFoot
          action={workspace === undefined ? 'Create' : 'Save'}
          failure={failure}
          onCancel={onClose}
          isDisabled={isBusy}
        />
      </form>
    </Dialog>
  );
}

function NameFields({ workspace }: { readonly workspace: Workspace | undefined }) {
  return (
    <>
      <div class="field-pair">
        <label class="label">
          Name
          <input
            class="field"
            name="name"
            required
            maxLength={100}
            autocomplete="off"
            placeholder="Research"
            defaultValue={workspace?.name ?? ''}
          />
        </label>
        <label class="label">
          Short name
          <input
            class="field mono"
            name="slug"
            required
            maxLength={50}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
            title="Small letters, digits and single hyphens"
            autocomplete="off"
            placeholder="research"
            defaultValue={workspace?.slug ?? ''}
          />
        </label>
      </div>
      <label class="label">
        Description
        <input
          class="field"
          name="description"
          maxLength={500}
          autocomplete="off"
          defaultValue={workspace?.description ?? ''}
        />
      </label>
    </>
  );
}

const sorts = [
  ['', 'As the installation orders them'],
  ['price', 'Cheapest first'],
  ['throughput', 'Fastest output first'],
  ['latency', 'Shortest wait first'],
  ['exacto', 'Most exact calls of tools first'],
] as const;

function RoutingFields({ workspace }: { readonly workspace: Workspace | undefined }) {
  const off = workspace?.disabled_server_tools ?? [];
  const tools = [...new Set([...Object.keys(gatewayTools), ...off])];
  return (
    <>
      <label class="label">
        Order of providers
        <select class="select" name="sort">
          {sorts.map(([name, label]) => (
            <option key={name} value={name} selected={name === (workspace?.default_provider_sort ?? '')}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <fieldset class="tool-choices">
        <legend>Tools of the gateway that its keys must not use</legend>
        {tools.map((type) => (
          <label key={type} class="row" title={type}>
            <input type="checkbox" name="tool" value={type} defaultChecked={off.includes(type)} />
            {toolName(type)}
          </label>
        ))}
      </fieldset>
    </>
  );
}

function ObservabilityFields({ workspace }: { readonly workspace: Workspace | undefined }) {
  return (
    <fieldset class="tool-choices">
      <legend>What is kept and sent of its requests</legend>
      <label class="row" title="Only where the server, the account and the key allow it too">
        <input
          type="checkbox"
          name="keeps"
          defaultChecked={workspace?.is_observability_io_logging_enabled ?? false}
        />
        Keep what is said, where server, account and key allow it
      </label>
      <label class="row">
        <input
          type="checkbox"
          name="sends"
          defaultChecked={workspace?.is_observability_broadcast_enabled ?? false}
        />
        Send traces to its destinations
      </label>
    </fieldset>
  );
}

function readForm(form: HTMLFormElement) {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const sort = text('sort');
  const known = (['price', 'throughput', 'latency', 'exacto'] as const).find((name) => name === sort);
  return {
    name: text('name'),
    slug: text('slug'),
    description: text('description') === '' ? null : text('description'),
    default_provider_sort: known ?? null,
    disabled_server_tools: data.getAll('tool').map(String),
    is_observability_io_logging_enabled: data.has('keeps'),
    is_observability_broadcast_enabled: data.has('sends'),
  };
}
