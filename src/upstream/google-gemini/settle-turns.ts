import type { ModelTraits } from './model-traits.ts';
import type { Content } from './wire.ts';

const userBegins: Content = { role: 'user', parts: [{ text: '(the model begins)' }] };
const modelSilent: Content = { role: 'model', parts: [{ text: '(no answer)' }] };
const userEnds: Content = { role: 'user', parts: [{ text: '(go on)' }] };

/**
 * Adapts turns to a model: some models refuse other parts beside responses, and conversations that end with the
 * model.
 */
export function settleTurns(contents: readonly Content[], traits: ModelTraits): readonly Content[] {
  const turns = withUserFirst(traits.responsesAlone ? contents.flatMap(withResponsesAlone) : contents);
  return !traits.prefill && turns.at(-1)?.role === 'model' ? [...turns, userEnds] : turns;
}

/** The dialect refuses a call before the first user turn. */
function withUserFirst(contents: readonly Content[]): readonly Content[] {
  const [first] = contents;
  const begins = first?.role === 'model' && first.parts.some((part) => part.functionCall !== undefined);
  return begins ? [userBegins, ...contents] : contents;
}

/** User text directly after responses is read as one of them, or refused. */
function withResponsesAlone(content: Content): readonly Content[] {
  const { role, parts } = content;
  const end = parts.findLastIndex((part) => part.functionResponse !== undefined) + 1;
  if (end === 0 || end === parts.length) return [content];
  return [{ role, parts: parts.slice(0, end) }, modelSilent, { role, parts: parts.slice(end) }];
}
