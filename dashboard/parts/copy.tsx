import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Copies a text; where a page may not, selects it instead. */
export function Copy({
  text,
  label,
  onCopy,
  isPrimary = false,
}: {
  readonly text: string;
  readonly label: string;
  readonly onCopy?: () => void;
  /** Whether it is what should be done next. */
  readonly isPrimary?: boolean;
}) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    } catch {
      selectText(text);
    }
    onCopy?.();
  };
  return (
    <button
      type="button"
      class={`button small ${isPrimary ? 'primary' : ''}`}
      onClick={copy}
      aria-live="polite"
    >
      <Icon name={done ? 'check' : 'copy'} />
      {/* Both stand in the same place, so that the button keeps its width. */}
      <span class="either">
        <span data-off={done ? '' : undefined}>{label}</span>
        <span data-off={done ? undefined : ''}>Copied</span>
      </span>
    </button>
  );
}

/** Marks the text on the page, so that the person can copy it. */
function selectText(text: string): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.textContent !== text) continue;
    getSelection()?.selectAllChildren(node.parentElement ?? document.body);
    return;
  }
}
