import { type Behaviour, blocks, marker, speak } from './behaviour.ts';
import { echo } from './echo.ts';
import { words } from './words.ts';

const thoughts = `${marker}Nothing thinks here. The answer will repeat what was said last.`;

/** A reasoning passage, unless reasoning is turned off, then the echo. */
export const reason: Behaviour = (call) => {
  const off = call.request.reasoning?.effort === 'none';
  return [...(off ? [] : speak('thinking', blocks.thinking, words(thoughts))), ...echo(call)];
};
