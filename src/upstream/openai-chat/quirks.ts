import type { Provider } from '../../core/catalogue.ts';
import { type ChatQuirks, chatInputs } from '../../core/chat-quirks.ts';

/** What the dialect does where a provider's quirks say nothing. */
const usual = {
  path: '/chat/completions',
  auth: 'bearer',
  streamOptions: true,
  instructionsRole: 'system',
  maxTokensField: 'max_tokens',
  seedField: 'seed',
  endUserField: 'user',
  omit: [],
  input: chatInputs.filter((input) => input !== 'file_url'),
  tools: true,
  strictTools: true,
  toolChoices: ['none', 'required', 'named'],
  requiredWord: 'required',
  structuredOutput: 'json_schema',
  schemaFallback: 'instructed',
  reasoningControls: ['reasoning_effort'],
  sealedFormats: [],
} satisfies ChatQuirks;

/** A provider's quirks with the dialect's usual way where they say nothing. */
export type ChatProfile = Readonly<ChatQuirks & Required<Pick<ChatQuirks, keyof typeof usual>>>;

const known = new WeakMap<Provider, ChatProfile>();

/** The profile of a provider. Its quirks were checked when the configuration was read. */
export function chatProfile(provider: Provider): ChatProfile {
  const found = known.get(provider) ?? { ...usual, ...(provider.quirks as ChatQuirks) };
  known.set(provider, found);
  return found;
}
