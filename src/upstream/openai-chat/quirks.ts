import type { Provider } from '../../core/catalogue.ts';
import { type ChatQuirks, chatInputs } from '../../core/chat-quirks.ts';

/** The dialect's defaults where a provider's quirks are silent. */
const usual = {
  path: '/chat/completions',
  auth: 'bearer',
  streamOptions: true,
  instructionsRole: 'system',
  system_messages: 'any',
  maxTokensField: 'max_tokens',
  logprobs: 'flag',
  seedField: 'seed',
  endUserField: 'user',
  omit: [],
  input: chatInputs.filter((input) => input !== 'file_url'),
  strictTools: true,
  toolChoices: ['none', 'required', 'named'],
  requiredWord: 'required',
  structuredOutput: 'json_schema',
  schemaFallback: 'instructed',
  reasoningControls: ['reasoning_effort'],
  sealedFormats: [],
} satisfies ChatQuirks;

/** A provider's quirks, with the dialect's defaults filled in. */
export type ChatProfile = Readonly<
  Omit<ChatQuirks, 'byModel'> & Required<Pick<ChatQuirks, keyof typeof usual>>
>;

const known = new WeakMap<Provider, Map<string, ChatProfile>>();

/**
 * The profile of a provider, for one of its models. Its quirks were checked when the configuration was read.
 * @param model The provider's own name for the model.
 */
export function chatProfile(provider: Provider, model = ''): ChatProfile {
  const profiles = known.get(provider) ?? new Map<string, ChatProfile>();
  known.set(provider, profiles);
  const found = profiles.get(model) ?? createProfile(provider, model);
  profiles.set(model, found);
  return found;
}

function createProfile({ quirks: given, discovers, baseUrl = '' }: Provider, model: string): ChatProfile {
  const { byModel = {}, ...quirks } = given as ChatQuirks;
  // What serves local models goes by their templates, many of which refuse a second system message.
  const local: ChatQuirks = discovers === true ? { system_messages: 'first' } : {};
  const own = Object.entries(byModel).filter(([pattern]) => matches(pattern, model));
  // Signatures come from these models alone; other providers refuse the member.
  const callSignatures = /gemini/i.test(model) || /\.googleapis\.com|\/v1beta\/openai$/.test(baseUrl);
  return Object.assign(
    { ...usual, callSignatures, ...local, ...quirks },
    ...own.map(([, overlay]) => overlay),
  );
}

function matches(pattern: string, model: string): boolean {
  const [first = '', ...rest] = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${[first, ...rest].join('.*')}$`, 'i').test(model);
}

/** Whether the provider accepts tools at all. */
export function takesTools({ omit }: ChatProfile): boolean {
  return !omit.includes('tools');
}
