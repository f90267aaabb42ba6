import { preferences } from './preferences.ts';

/** Whether keys are meant for a field or an open dialog. */
function isTyping({ target }: Event): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest('input, textarea, select, dialog, [contenteditable], [popover]') !== null;
}

/** Whether a single key is meant as a shortcut: they can be switched off, and belong to the browser with others. */
export function isShortcut(event: KeyboardEvent): boolean {
  const { metaKey, ctrlKey, altKey } = event;
  return preferences.value.shortcuts && !metaKey && !ctrlKey && !altKey && !isTyping(event);
}
