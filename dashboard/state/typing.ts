/** Whether keys are meant for a field or an open dialog. */
export function isTyping({ target }: Event): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest('input, textarea, select, dialog, [contenteditable], [popover]') !== null;
}
