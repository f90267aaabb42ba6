interface DialogFootProps {
  /** What the button that does it says. */
  readonly action: string;
  /** What went wrong with the last try. */
  readonly failure: string | undefined;
  readonly onCancel: () => void;
  /** Where it is no form that is sent. */
  readonly onAct?: () => void;
  readonly isDisabled?: boolean;
  /** Whether it cannot be undone. */
  readonly isDanger?: boolean;
}

/** The end of a dialog: what went wrong, the way out, and the button that does it. */
export function DialogFoot({ action, failure, onCancel, onAct, isDisabled, isDanger }: DialogFootProps) {
  return (
    <>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <button
          type={onAct === undefined ? 'submit' : 'button'}
          class={`button ${isDanger ? 'danger' : 'primary'}`}
          disabled={isDisabled}
          {...(onAct === undefined ? {} : { onClick: onAct })}
        >
          {action}
        </button>
      </div>
    </>
  );
}
