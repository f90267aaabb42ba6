import { signal } from '@preact/signals';

/** What was done last, until it is gone; one at a time. */
export const notice = signal<{ readonly text: string } | undefined>(undefined);

/** Says on every page that something was done; it replaces what was said before. */
export function notify(text: string): void {
  notice.value = { text };
}
