import { signal } from '@preact/signals';
import { isAnswered } from './client.ts';

/** Since when the server does not answer, in milliseconds of this browser; undefined while it does. */
export const awaySince = signal<number>();

const pause = 2_500;
const pauseWhileAway = 1_000;

/** Asks in intervals whether the server answers, while the page is visible. @returns Ends that. */
export function watchConnection(onBack: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const look = async () => {
    clearTimeout(timer);
    if (!document.hidden) {
      const answers = await isAnswered();
      if (hasEnded) return;
      const wasAway = awaySince.value !== undefined;
      awaySince.value = answers ? undefined : (awaySince.value ?? Date.now());
      if (answers && wasAway) onBack();
    }
    timer = setTimeout(look, awaySince.value === undefined ? pause : pauseWhileAway);
  };
  timer = setTimeout(look, pause);
  document.addEventListener('visibilitychange', look);
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
