import { zone } from '../../state/preferences.ts';
import { lastUseWords, type UseFacts } from './last-use.ts';

/** When a key was used last. */
export function LastUsed(facts: UseFacts) {
  const { text, exact } = lastUseWords(facts, Date.now(), zone());
  return (
    <span class={facts.use === undefined ? 'muted' : ''} title={exact}>
      {text}
    </span>
  );
}
