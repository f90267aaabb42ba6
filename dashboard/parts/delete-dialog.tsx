import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/errors.ts';
import { Dialog } from './dialog.tsx';
import { DialogFoot } from './dialog-foot.tsx';

interface DeleteDialogProps {
  readonly title: string;
  /** What must be typed. */
  readonly name: string;
  /** Deletes it; what it rejects with is shown. */
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  /** What will be lost. */
  readonly children: ComponentChildren;
}

/** Asks for a name before something is deleted for good. */
export function DeleteDialog({ title, name, onConfirm, onClose, children }: DeleteDialogProps) {
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string>();
  const remove = (event: Event) => {
    event.preventDefault();
    onConfirm().catch((error) => setFailure(messageOf(error)));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={remove}>
        <p>{children}</p>
        <label class="label">
          <span>
            Type <code>{name}</code> to confirm
          </span>
          <input
            class="field"
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <DialogFoot
          action="Delete for good"
          failure={failure}
          onCancel={onClose}
          isDisabled={typed !== name}
          isDanger
        />
      </form>
    </Dialog>
  );
}
