import type { Provider } from '../../core/catalogue.ts';
import { textOf } from '../lenient.ts';

/** What the look-alikes of this dialect do differently; read from a provider's data row. */
export interface ChatQuirks {
  /** Role of instructions and of system and developer messages. */
  readonly instructionsRole: 'system' | 'developer';
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Name of the member that takes the seed. */
  readonly seedField: string;
  /** Whether a stream's usage has to be asked for by `stream_options`. */
  readonly streamOptions: boolean;
  /** The member of assistant messages that takes reasoning of earlier turns back; unset drops it. */
  readonly reasoningField?: string;
  /** Whether tools with free-text input are known; else they are played by functions. */
  readonly customTools: boolean;
  /** Whether `tool_choice` may list the allowed tools. */
  readonly allowedTools: boolean;
  /** Body members this provider refuses, never sent. */
  readonly omit: readonly string[];
}

const known = new WeakMap<Provider, ChatQuirks>();

/** The quirks of a provider; what its row does not say, or says with a wrong type, is the dialect's usual way. */
export function chatQuirks(provider: Provider): ChatQuirks {
  const read = known.get(provider) ?? readQuirks(provider.quirks);
  known.set(provider, read);
  return read;
}

function readQuirks(row: Provider['quirks']): ChatQuirks {
  return {
    instructionsRole: row.instructionsRole === 'developer' ? 'developer' : 'system',
    maxTokensField: row.maxTokensField === 'max_completion_tokens' ? 'max_completion_tokens' : 'max_tokens',
    seedField: textOf(row.seedField) ?? 'seed',
    streamOptions: row.streamOptions !== false,
    reasoningField: textOf(row.reasoningField),
    customTools: row.customTools === true,
    allowedTools: row.allowedTools === true,
    omit: Array.isArray(row.omit) ? row.omit.filter((name) => typeof name === 'string') : [],
  };
}
