/** The bytes of one server-sent event holding a JSON value. */
export function dataEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A chunk of a chat completion. */
export function chatChunk(delta: object, finishReason: string | null = null, rest: object = {}): string {
  return dataEvent({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_767_225_600,
    model: 'atlas-4',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...rest,
  });
}

/** The events of a chat completion that says the words, one chunk for each. */
export function chatStream(...words: string[]): string[] {
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chatChunk({ content })),
    chatChunk({}, 'stop'),
    dataEvent({
      id: 'chatcmpl-1',
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: words.length, total_tokens: 9 + words.length },
    }),
    'data: [DONE]\n\n',
  ];
}

/** The same completion as one body. */
export function chatBody(...words: string[]): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_767_225_600,
    model: 'atlas-4',
    choices: [{ index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: words.length, total_tokens: 9 + words.length },
  });
}
