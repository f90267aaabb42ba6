import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Whether Escape and the cross do nothing until something was done. */
  readonly mustStay?: boolean;
}

/** A dialog over the page, which keeps the focus until it closes. */
export function Dialog({ title, onClose, children, mustStay = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
    // Who opens a form wants to fill it in.
    const field = '.dialog-body :is(textarea, input:not([type="checkbox"], [type="radio"]))';
    dialog.current?.querySelector<HTMLElement>(field)?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!mustStay) onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={heading}>{title}</h2>
        {!mustStay && (
          <button type="button" class="button plain small" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
