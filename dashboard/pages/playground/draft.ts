import { useState } from 'preact/hooks';

/** What a person has written; it lives in this tab only. */
export interface Draft {
  readonly prompt: string;
  readonly instructions: string;
  readonly temperature: string;
  readonly maxTokens: string;
  readonly effort: string;
  /** Further members of the request, as JSON. */
  readonly more: string;
}

const name = 'headgate-playground';
const empty: Draft = { prompt: '', instructions: '', temperature: '', maxTokens: '', effort: '', more: '' };

/** The draft and how to change it. */
export function useDraft(): [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(read);
  const change = (changed: Partial<Draft>) => {
    const next = { ...draft, ...changed };
    setDraft(next);
    sessionStorage.setItem(name, JSON.stringify(next));
  };
  return [draft, change];
}

function read(): Draft {
  try {
    return { ...empty, ...JSON.parse(sessionStorage.getItem(name) ?? '{}') };
  } catch {
    return empty;
  }
}

/** The request of a draft, or what is wrong with it. */
export function requestOf(
  draft: Draft,
  model: string,
): { body: Record<string, unknown> } | { fault: string } {
  const more = readMore(draft.more);
  if (typeof more === 'string') return { fault: more };
  const [temperature, maxTokens] = [Number(draft.temperature), Number(draft.maxTokens)];
  if (draft.temperature !== '' && !Number.isFinite(temperature))
    return { fault: 'The temperature is no number.' };
  if (draft.maxTokens !== '' && !Number.isInteger(maxTokens))
    return { fault: 'The most tokens must be a whole number.' };
  return {
    body: {
      model,
      input: draft.prompt,
      ...(draft.instructions.trim() === '' ? {} : { instructions: draft.instructions }),
      ...(draft.temperature === '' ? {} : { temperature }),
      ...(draft.maxTokens === '' ? {} : { max_output_tokens: maxTokens }),
      ...(draft.effort === '' ? {} : { reasoning: { effort: draft.effort } }),
      ...more,
    },
  };
}

function readMore(text: string): Record<string, unknown> | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
    return 'Further settings must be a JSON object.';
  } catch (error) {
    return `Further settings are no JSON: ${error instanceof Error ? error.message : ''}`;
  }
}
