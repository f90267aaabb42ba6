import { type Behaviour, blocks, marker, speak } from './behaviour.ts';
import { lastUserText, words } from './words.ts';

/** Repeats the last user text. */
export const echo: Behaviour = ({ request }) =>
  speak('text', blocks.text, [marker, ...words(lastUserText(request) ?? 'There was no text to repeat.')]);
