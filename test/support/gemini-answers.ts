import type { Answer, Candidate, Part } from '../../src/upstream/google-gemini/wire.ts';

/** What belongs to a candidate or to the answer around it, besides the parts. */
export type AnswerMembers = Partial<Omit<Candidate, 'content'>> & Omit<Answer, 'candidates'>;

/** One event of a stream, or a whole answer, in the wire format of the Gemini dialect. */
export function geminiAnswer(parts: readonly Part[], members: AnswerMembers = {}): Answer {
  const { promptFeedback, usageMetadata, responseId = 'resp-1', ...candidate } = members;
  return {
    candidates: [{ content: { role: 'model', parts: [...parts] }, index: 0, ...candidate }],
    responseId,
    usageMetadata,
    promptFeedback,
  };
}

/** The bytes of a stream: one event for each answer, lines as the provider ends them. */
export function geminiStream(answers: readonly unknown[]): string {
  return answers.map((answer) => `data: ${JSON.stringify(answer)}\r\n\r\n`).join('');
}

/** One whole answer that says what the events of a stream say. */
export function wholeGeminiAnswer(answers: readonly Answer[]): Answer {
  const members = answers.map(({ candidates: [candidate] = [], ...rest }) => ({ ...candidate, ...rest }));
  const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const { content: _, ...merged } = Object.assign({}, ...members);
  return geminiAnswer(joinTexts(parts), merged);
}

/** Neighbouring texts are pieces of one part; its signature comes with the last of them. */
function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const together =
      last?.text !== undefined &&
      part.text !== undefined &&
      last.thought === part.thought &&
      !last.thoughtSignature;
    if (together) joined[joined.length - 1] = { ...last, ...part, text: `${last.text}${part.text}` };
    else joined.push(part);
  }
  return joined;
}
