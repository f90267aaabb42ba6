import { type Any, faultsOfTurns, isBlank, type Rules } from './rules.ts';

const when = (fault: string, found: unknown): string[] => (found ? [fault] : []);

/** The Messages dialect. */
export const messagesRules: Rules = ({ system = [], messages }: Any) => [
  ...faultsOfTurns(messages, {
    partsOf: ({ content }) => content,
    called: ({ type, id }) => (type === 'tool_use' ? id : undefined),
    answered: ({ type, tool_use_id }) => (type === 'tool_result' ? tool_use_id : undefined),
  }),
  ...messages.flatMap(({ role, content }: Any, place: number) => [
    ...when('the system out of place', role === 'system' && !isForSystem(messages, place)),
    ...when('a turn ends in thoughts', role === 'assistant' && /thinking/.test(content.at(-1)?.type)),
    ...[...content, ...content.flatMap((result: Any) => result.content ?? [])].flatMap((block) =>
      faultsOfBlock(block, role),
    ),
  ]),
  ...when('a prefill ends in space', messages.at(-1)?.role === 'assistant' && endsInSpace(messages.at(-1))),
  ...when(
    'blank system text',
    system.some(({ text }: Any) => isBlank(text)),
  ),
];

/** Straight after the user, before the model or at the end. */
function isForSystem(messages: readonly Any[], place: number): boolean {
  return messages[place - 1]?.role === 'user' && messages[place + 1]?.role !== 'user';
}

function faultsOfBlock({ type, text, id }: Any, role: string): string[] {
  return [
    ...when('blank text', type === 'text' && isBlank(text)),
    ...when(`id ${id}`, type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(id)),
    ...when('only the user shows something', role !== 'user' && (type === 'image' || type === 'document')),
  ];
}

function endsInSpace({ content }: Any): boolean {
  return /\s$/.test(content.at(-1).text);
}

/** Models since 4.6 take no conversation that they end, unless a tool of the provider's still runs. */
export const endlessMessagesRules: Rules = (body: Any) => {
  const { role, content = [] } = body.messages.at(-1) ?? {};
  const ends = role === 'assistant' && !/^(server|mcp)_tool_use$|_result$/.test(content.at(-1)?.type);
  return [...messagesRules(body), ...when('the model ends', ends)];
};

/** The Converse dialect. */
export const converseRules: Rules = ({ system = [], messages, toolConfig }: Any) => [
  ...faultsOfTurns(messages, {
    partsOf: ({ content }) => content,
    called: ({ toolUse }) => toolUse?.toolUseId,
    answered: ({ toolResult }) => toolResult?.toolUseId,
    isMark: ({ cachePoint }) => cachePoint !== undefined,
  }),
  ...when('the user does not begin', messages[0]?.role !== 'user'),
  ...messages.flatMap(({ role, content }: Any) => [
    ...when('a turn ends in thoughts', role === 'assistant' && content.at(-1)?.reasoningContent),
    ...when('a document without words', isWordless(content)),
    ...when('calls without tools', content.some(({ toolUse }: Any) => toolUse) && !toolConfig?.tools.length),
    ...[...content, ...content.flatMap((result: Any) => result.toolResult?.content ?? [])].flatMap((block) =>
      faultsOfConverseBlock(block, role),
    ),
  ]),
  ...when(
    'blank system text',
    system.some((block: Any) => 'text' in block && isBlank(block.text)),
  ),
];

/** Claude since 4.6 takes no conversation that it ends. */
export const endlessConverseRules: Rules = (body: Any) => [
  ...converseRules(body),
  ...when('the model ends', body.messages.at(-1)?.role === 'assistant'),
];

function isWordless(content: readonly Any[]): boolean {
  return content.some(({ document }) => document) && content.every(({ text }) => text === undefined);
}

function faultsOfConverseBlock(block: Any, role: string): string[] {
  const id = block.toolUse?.toolUseId;
  return [
    ...when('blank text', 'text' in block && isBlank(block.text)),
    ...when('the model shows something', role === 'assistant' && (block.image || block.document)),
    ...when('an empty result', block.toolResult?.content.length === 0),
    ...when(`id ${id}`, id !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(id)),
  ];
}

/** The Gemini dialect, which pairs calls and responses by their order. */
export const geminiRules: Rules = ({ contents }: Any) => {
  const faults: string[] = contents.length === 0 ? ['nobody says anything'] : [];
  let before: readonly string[] = [];
  for (const [place, { role, parts }] of contents.entries()) {
    const named = (kind: string) => parts.flatMap((part: Any) => part[kind]?.name ?? []);
    const calls = named('functionCall');
    const isEmpty = (part: Any) => part.text === '' && part.thoughtSignature === undefined;
    faults.push(
      ...when(`turn ${place} is of the same side as the one before`, contents[place - 1]?.role === role),
      ...when(`turn ${place} answers other calls`, named('functionResponse').join() !== before.join()),
      ...when('a call out of place', calls.length > 0 && (place === 0 || role !== 'model')),
      ...when(`turn ${place} has an empty part`, parts.length === 0 || parts.some(isEmpty)),
    );
    before = calls;
  }
  return [...faults, ...when('the last calls have no answers', before.length > 0)];
};

/** The third generation refuses a turn whose first call nobody signed. */
export const signedGeminiRules: Rules = (body: Any) => {
  const unsigned = body.contents.some(({ parts }: Any) => {
    const first = parts.find(({ functionCall }: Any) => functionCall);
    return first !== undefined && first.thoughtSignature === undefined;
  });
  const mixed = body.contents.some(
    ({ parts }: Any) =>
      parts.some(({ functionResponse }: Any) => functionResponse) &&
      !parts.every(({ functionResponse }: Any) => functionResponse),
  );
  return [
    ...geminiRules(body),
    ...when('an unsigned call', unsigned),
    ...when('words beside a response', mixed),
  ];
};

/** Models since 3.6 take no conversation that they end. */
export const endlessGeminiRules: Rules = (body: Any) => [
  ...signedGeminiRules(body),
  ...when('the model ends', body.contents.at(-1)?.role === 'model'),
];
