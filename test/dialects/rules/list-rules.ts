import type { Any, Rules } from './rules.ts';

const longestChatId = 40;
const longestResponsesId = 64;

/** Chat completions: outputs of calls straight after them. */
export const chatRules: Rules = ({ messages }: Any) => {
  const faults: string[] = messages.length === 0 ? ['nobody says anything'] : [];
  let open: readonly string[] = [];
  for (const [place, message] of messages.entries()) {
    const { role, tool_calls = [], tool_call_id } = message;
    if (role !== 'user' && shows(message)) faults.push(`${role} shows something`);
    if (role === 'tool') {
      if (!open.includes(tool_call_id)) faults.push(`message ${place} answers no call`);
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    if (open.length > 0) faults.push(`message ${place} comes before outputs of calls`);
    open = tool_calls.map(({ id }: Any) => id);
    faults.push(...faultsOfIds(open));
    if (role === 'assistant' && !message.content?.length && open.length === 0) {
      faults.push(`message ${place} is empty`);
    }
  }
  return open.length > 0 ? [...faults, 'the last calls have no outputs'] : faults;
};

function shows({ content }: Any): boolean {
  return Array.isArray(content) && content.some(({ type }) => !/^(text|thinking)$/.test(type));
}

function faultsOfIds(ids: readonly string[]): string[] {
  const faults = new Set(ids).size < ids.length ? ['two calls share an id'] : [];
  return ids.some((id) => id.length > longestChatId) ? [...faults, 'a long id'] : faults;
}

const parts: Readonly<Record<string, RegExp>> = {
  assistant: /^(output_text|refusal)$/,
  user: /^input_(text|image|file|audio)$/,
  system: /^input_text$/,
  developer: /^input_text$/,
};

/** Responses: an output for every call, and a call for every output. */
export const responsesRules: Rules = ({ input }: Any) => {
  const calls = input.filter(({ type }: Any) => /^(function|custom_tool)_call$/.test(type));
  const outputs = input.filter(({ type }: Any) => /^(function|custom_tool)_call_output$/.test(type));
  const keyOf = ({ type, call_id }: Any) => `${type.replace('_output', '')} ${call_id}`;
  const called = new Set(calls.map(keyOf));
  const answered = new Set(outputs.map(keyOf));
  return [
    ...(input.length === 0 ? ['nobody says anything'] : []),
    ...calls.flatMap((call: Any) => (answered.has(keyOf(call)) ? [] : [`no output of ${keyOf(call)}`])),
    ...outputs.flatMap((output: Any) => (called.has(keyOf(output)) ? [] : [`no call of ${keyOf(output)}`])),
    ...calls.flatMap(({ call_id }: Any) => (call_id.length > longestResponsesId ? [`id ${call_id}`] : [])),
    ...input.flatMap((item: Any) => (item.type === 'message' ? faultsOfMessage(item) : [])),
  ];
};

function faultsOfMessage({ role, content }: Any): string[] {
  const strange = content.filter(({ type }: Any) => !parts[role]?.test(type));
  return [
    ...strange.map(({ type }: Any) => `${type} of ${role}`),
    ...(content.length === 0 ? ['an empty message'] : []),
  ];
}
