import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { interfaceRoot } from '../../api/session-state.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** What else is to be known of it. */
  readonly children?: ComponentChildren;
}

/** The one time that a raw key is seen. It lives in this dialog only. */
export function ShownOnce({ title, secret, onClose, children }: ShownOnceProps) {
  const [isKept, setKept] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const address = `${interfaceRoot()}api/v1`;
  const variable = `HEADGATE_API_KEY=${secret}`;
  const curl = `curl ${address}/responses -H "Authorization: Bearer ${secret}" -H "Content-Type: application/json" -d '{"model":"sandbox/echo","input":"Hello"}'`;
  return (
    <Dialog title={title} onClose={onClose} mustStay>
      <p>Copy it now: it is stored nowhere and never shown again.</p>
      {children}
      <pre class="raw-key">{secret}</pre>
      <div class="row">
        <Copy text={secret} label="Copy key" isPrimary={!isKept} onCopy={() => setKept(true)} />
        <Copy text={variable} label="Copy as variable" onCopy={() => setKept(true)} />
        <Copy text={curl} label="Copy curl" onCopy={() => setKept(true)} />
      </div>
      {isAsked && !isKept && (
        <p class="note warn" role="alert">
          You have not copied the key. Press again to close all the same.
        </p>
      )}
      <div class="dialog-foot">
        <button
          type="button"
          class={`button ${isKept ? 'primary' : ''}`}
          onClick={() => (isKept || isAsked ? onClose() : setAsked(true))}
        >
          Done
        </button>
      </div>
    </Dialog>
  );
}
