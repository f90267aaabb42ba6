import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { inWorkspace, type WholePreset } from './queries.ts';

interface EditPresetProps {
  readonly preset: WholePreset;
  readonly onClose: () => void;
}

/** Changes the name and the description of a preset. */
export function EditPreset({ preset, onClose }: EditPresetProps) {
  const [failure, setFailure] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const description = String(data.get('description') ?? '').trim();
    const body = {
      name: String(data.get('name') ?? '').trim(),
      description: description === '' ? null : description,
    };
    const query = inWorkspace(preset.workspace_id ?? undefined);
    try {
      await send('PATCH', '/presets/{slug}', { params: { slug: preset.slug }, query, body });
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Edit preset" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          Name
          <input class="field" name="name" required maxLength={100} defaultValue={preset.name} />
        </label>
        <label class="label">
          Description
          <input class="field" name="description" maxLength={500} defaultValue={preset.description ?? ''} />
        </label>
        <DialogFoot action="Save" failure={failure} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
