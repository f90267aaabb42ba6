import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Copies a text; where a page may not, selects it instead. */
export function Copy({
  text,
  label,
  onCopy,
}: {
  readonly text: string;
  readonly label: string;
  readonly onCopy?: () => void;
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
    <button type="button" class="button small" onClick={copy} aria-live="polite">
      <Icon name={done ? 'check' : 'copy'} />
      {done ? 'Copied' : label}
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
