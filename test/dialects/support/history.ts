// biome-ignore lint/suspicious/noExplicitAny: bodies of several interfaces.
type Any = any;

/** One step of a conversation as an application keeps it, whatever dialect gave it. */
export type Step =
  | { readonly kind: 'user'; readonly text: string; readonly cached?: boolean }
  | { readonly kind: 'thought'; readonly thought: Thought }
  | { readonly kind: 'text'; readonly text: string; readonly cited: readonly Any[] }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly kind: 'output'; readonly id: string; readonly text: string; readonly picture: string };

/** Reasoning with its seal, in the words of `POST /responses`. */
export interface Thought {
  readonly id?: string;
  readonly summary: readonly string[];
  readonly content: readonly string[];
  readonly encrypted?: string;
  readonly signature?: string;
  readonly format?: string;
}

/** How an application speaks one public dialect: what an answer was, and the whole conversation as a request. */
export interface Application {
  readonly name: string;
  read(answer: Any): readonly Step[];
  body(
    steps: readonly Step[],
    tools: readonly { readonly name: string; readonly parameters: object }[],
  ): object;
}

const mark = { type: 'ephemeral' } as const;
const marked = (cached: boolean | undefined) => (cached === true ? { cache_control: mark } : {});
const png = (data: string) => `data:image/png;base64,${data}`;

const responses: Application = {
  name: 'responses',
  read: ({ output }) =>
    output.flatMap((item: Any): Step[] => {
      if (item.type === 'reasoning') return [{ kind: 'thought', thought: thoughtOfItem(item) }];
      if (item.type === 'function_call') {
        return [{ kind: 'call', id: item.call_id, name: item.name, input: item.arguments }];
      }
      return item.content.map(
        ({ text, annotations }: Any): Step => ({ kind: 'text', text, cited: annotations }),
      );
    }),
  body: (steps, tools) => ({
    input: turnsOf(steps).flatMap(({ steps: own }) => itemsOf(own)),
    tools: tools.map((tool) => ({ type: 'function', strict: false, ...tool })),
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium' },
  }),
};

function thoughtOfItem({ id, summary, content, encrypted_content, signature, format }: Any): Thought {
  const texts = (parts: Any) => (parts ?? []).map(({ text }: Any) => text);
  return {
    id,
    summary: texts(summary),
    content: texts(content),
    ...(encrypted_content && { encrypted: encrypted_content }),
    ...(signature && { signature }),
    ...(format && { format }),
  };
}

/** Texts in a row are parts of one message. */
function itemsOf(steps: readonly Step[]): readonly object[] {
  const items: object[] = [];
  let parts: object[] = [];
  for (const step of steps) {
    if (step.kind !== 'text') {
      parts = [];
      items.push(itemOf(step));
      continue;
    }
    if (parts.length === 0) items.push({ type: 'message', role: 'assistant', content: parts });
    const { text, cited } = step;
    parts.push({ type: 'output_text', text, annotations: cited.map((one) => annotationOf(one, text)) });
  }
  return items;
}

/** A citation in the words of `POST /responses`; one of a block cites all of it. */
function annotationOf(cited: Any, text: string): Any {
  if (cited.type === 'url_citation') return cited;
  const { url, title } = cited;
  return { type: 'url_citation', url, title, start_index: 0, end_index: text.length, citation: cited };
}

function itemOf(step: Exclude<Step, { kind: 'text' }>): object {
  switch (step.kind) {
    case 'user': {
      const part = { type: 'input_text', text: step.text, ...marked(step.cached) };
      return { role: 'user', content: [part] };
    }
    case 'thought':
      return reasoningItem(step.thought);
    case 'call':
      return { type: 'function_call', call_id: step.id, name: step.name, arguments: step.input };
    case 'output':
      return {
        type: 'function_call_output',
        call_id: step.id,
        output: [
          { type: 'input_text', text: step.text },
          { type: 'input_image', image_url: png(step.picture), detail: 'auto' },
        ],
      };
  }
}

function reasoningItem({ id, summary, content, encrypted, signature, format }: Thought): object {
  return {
    type: 'reasoning',
    ...(id !== undefined && { id }),
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    content: content.map((text) => ({ type: 'reasoning_text', text })),
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
    ...(signature !== undefined && { signature }),
    ...(format !== undefined && { format }),
  };
}

const chat: Application = {
  name: 'chat',
  read: ({ choices: [{ message }] }) => [
    ...thoughtsOfDetails(message.reasoning_details ?? []),
    ...(message.content ? [textOf(message)] : []),
    ...(message.tool_calls ?? []).map(
      ({ id, function: called }: Any): Step => ({
        kind: 'call',
        id,
        name: called.name,
        input: called.arguments,
      }),
    ),
  ],
  body: (steps, tools) => ({
    messages: turnsOf(steps).map(({ role, steps: own }) => chatMessage(role, own)),
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    reasoning: { effort: 'medium' },
  }),
};

function textOf({ content, annotations = [] }: Any): Step {
  const cited = annotations.map(({ type, url_citation }: Any) => ({ type, ...url_citation }));
  return { kind: 'text', text: content, cited };
}

function thoughtsOfDetails(details: readonly Any[]): readonly Step[] {
  const thoughts = new Map<string, Thought>();
  for (const { type, id, format, text, summary, data, signature } of details) {
    const before: Thought = thoughts.get(id) ?? { id, summary: [], content: [] };
    thoughts.set(id, {
      ...before,
      ...(format && { format }),
      ...(type === 'reasoning.text' && text && { content: [...before.content, text] }),
      ...(type === 'reasoning.summary' && { summary: [...before.summary, summary] }),
      ...(type === 'reasoning.encrypted' && { encrypted: data }),
      ...(signature && { signature }),
    });
  }
  return [...thoughts.values()].map((thought) => ({ kind: 'thought', thought }));
}

type Role = 'user' | 'assistant' | 'tool';

/** Steps of one speaker in a row. */
function turnsOf(
  steps: readonly Step[],
): readonly { readonly role: Role; readonly steps: readonly Step[] }[] {
  const turns: { role: Role; steps: Step[] }[] = [];
  for (const step of steps) {
    const role = step.kind === 'user' ? 'user' : step.kind === 'output' ? 'tool' : 'assistant';
    const last = turns.at(-1);
    if (last?.role === role && role === 'assistant') last.steps.push(step);
    else turns.push({ role, steps: [step] });
  }
  return turns;
}

function chatMessage(role: Role, steps: readonly Step[]): object {
  const [first] = steps;
  if (first?.kind === 'user') {
    return { role, content: [{ type: 'text', text: first.text, ...marked(first.cached) }] };
  }
  if (first?.kind === 'output') {
    const image = { type: 'image_url', image_url: { url: png(first.picture), detail: 'auto' } };
    return { role, tool_call_id: first.id, content: [{ type: 'text', text: first.text }, image] };
  }
  const details = steps.flatMap((step) => (step.kind === 'thought' ? detailsOf(step.thought) : []));
  const calls = steps.filter((step) => step.kind === 'call');
  const texts = steps.filter((step) => step.kind === 'text');
  const text = texts.map((step) => step.text).join('');
  const annotations = texts.flatMap((step, index) =>
    step.cited.map((one) => chatAnnotation(annotationOf(one, step.text), lengthOf(texts.slice(0, index)))),
  );
  return {
    role,
    content: text === '' ? null : text,
    ...(annotations.length > 0 && { annotations }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      })),
    }),
  };
}

function lengthOf(texts: readonly { readonly text: string }[]): number {
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

function chatAnnotation({ type, start_index, end_index, ...members }: Any, offset: number): object {
  const place = { start_index: start_index + offset, end_index: end_index + offset };
  return { type, url_citation: { ...members, ...place } };
}

function detailsOf({ id, summary, content, encrypted, signature, format }: Thought): readonly object[] {
  const common = { ...(id !== undefined && { id }), ...(format !== undefined && { format }) };
  const texts: object[] = content.map((text) => ({ type: 'reasoning.text', text, ...common }));
  const sealed =
    texts.pop() ?? (signature === undefined ? undefined : { type: 'reasoning.text', text: '', ...common });
  return [
    ...texts,
    ...(sealed === undefined ? [] : [{ ...sealed, ...(signature !== undefined && { signature }) }]),
    ...summary.map((text) => ({ type: 'reasoning.summary', summary: text, ...common })),
    ...(encrypted === undefined ? [] : [{ type: 'reasoning.encrypted', data: encrypted, ...common }]),
  ];
}

const messages: Application = {
  name: 'messages',
  read: ({ content }) =>
    content.map((block: Any): Step => {
      if (block.type === 'thinking' || block.type === 'redacted_thinking') {
        return { kind: 'thought', thought: thoughtOfBlock(block) };
      }
      if (block.type === 'tool_use') {
        return { kind: 'call', id: block.id, name: block.name, input: JSON.stringify(block.input) };
      }
      return { kind: 'text', text: block.text, cited: block.citations };
    }),
  body: (steps, tools) => ({
    messages: turnsOf(steps).map(({ role, steps: own }) => ({
      role: role === 'tool' ? 'user' : role,
      content: own.map(blockOf),
    })),
    tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })),
    output_config: { effort: 'medium' },
  }),
};

const claude = 'anthropic-claude-v1';

/** A seal that is the gateway's says itself whose thought it is. */
function thoughtOfBlock({ type, thinking, signature, data }: Any): Thought {
  const seal = String(type === 'thinking' ? signature : data);
  const whose = seal.startsWith('hg1.') ? {} : { format: claude };
  if (type === 'redacted_thinking') return { summary: [], content: [], encrypted: data, ...whose };
  return { summary: [], content: thinking === '' ? [] : [thinking], signature, ...whose };
}

function blockOf(step: Step): object {
  switch (step.kind) {
    case 'user':
      return { type: 'text', text: step.text, ...marked(step.cached) };
    case 'thought':
      return thoughtBlock(step.thought);
    case 'text': {
      const { text, cited } = step;
      return { type: 'text', text, ...(cited.length > 0 && { citations: cited }) };
    }
    case 'call':
      return { type: 'tool_use', id: step.id, name: step.name, input: JSON.parse(step.input) };
    case 'output': {
      const source = { type: 'base64', media_type: 'image/png', data: step.picture };
      return {
        type: 'tool_result',
        tool_use_id: step.id,
        content: [
          { type: 'text', text: step.text },
          { type: 'image', source },
        ],
      };
    }
  }
}

/** Claude's thoughts have blocks of their own here; another maker's is a reasoning item. */
function thoughtBlock(thought: Thought): object {
  const { content, encrypted, signature, format } = thought;
  if (format === claude && signature !== undefined) {
    return { type: 'thinking', thinking: content.join('\n\n'), signature };
  }
  if (format === claude && encrypted !== undefined) return { type: 'redacted_thinking', data: encrypted };
  return reasoningItem(thought);
}

/** The applications; each turn of a conversation may be another one's. */
export const applications: readonly Application[] = [responses, chat, messages];
