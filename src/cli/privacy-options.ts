import { type Command, InvalidArgumentError } from 'commander';
import { findProvider } from '../catalogue/build-providers.ts';
import type { Provider } from '../core/catalogue.ts';
import type { AccountPrivacy } from '../ports/accounts.ts';
import { CommandFailure } from './command-failure.ts';
import { parseSwitch } from './option-values.ts';

/** What `accounts set` was told of where prompts may go; undefined leaves a setting as it is. */
export interface PrivacyOptions {
  readonly allowProviders?: readonly string[];
  readonly ignoreProviders?: readonly string[];
  readonly paidTraining?: boolean;
  readonly freeTraining?: boolean;
  readonly freePublication?: boolean;
  readonly zeroRetentionAuthors?: readonly string[];
}

/** Adds the options that say where an account's prompts may go (accounts-and-limits 1.1). */
export function addPrivacyOptions(command: Command): Command {
  return command
    .option('--allow-providers <list>', 'the only providers it may use, or "any"', parseList('any'))
    .option('--ignore-providers <list>', 'providers it must not use, or "none"', parseList('none'))
    .option('--paid-training <true|false>', 'whether what costs something may train on prompts', parseSwitch)
    .option('--free-training <true|false>', 'whether what is free may train on prompts', parseSwitch)
    .option('--free-publication <true|false>', 'whether what is free may publish prompts', parseSwitch)
    .option(
      '--zero-retention-authors <list>',
      'authors whose models are asked only where nothing is kept, or "none"',
      parseList('none'),
    );
}

/** The settings with what the options change, or undefined when they change nothing. */
export function changePrivacy(
  before: AccountPrivacy | undefined,
  options: PrivacyOptions,
): AccountPrivacy | undefined {
  const { allowProviders, ignoreProviders, zeroRetentionAuthors: authors } = options;
  const change: AccountPrivacy = {
    ...(allowProviders && { allowedProviders: allowProviders }),
    ...(ignoreProviders && { ignoredProviders: ignoreProviders }),
    ...(authors && { zeroRetentionAuthors: authors }),
    ...(options.paidTraining !== undefined && { forbidPaidTraining: !options.paidTraining }),
    ...(options.freeTraining !== undefined && { forbidFreeTraining: !options.freeTraining }),
    ...(options.freePublication !== undefined && { forbidFreePublication: !options.freePublication }),
  };
  if (Object.keys(change).length === 0) return undefined;
  // What restricts nothing is not kept.
  const kept = Object.entries({ ...before, ...change }).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value === true,
  );
  return Object.fromEntries(kept);
}

/**
 * @throws CommandFailure for an entry that names no provider: a list with a slip in it would rule out everything, or
 *   nothing.
 */
export function checkProviders(
  { allowProviders = [], ignoreProviders = [] }: PrivacyOptions,
  inService: ReadonlyMap<string, Provider>,
): void {
  const names = new Set([...inService.values()].map(({ name }) => name.toLowerCase()));
  for (const entry of [...allowProviders, ...ignoreProviders]) {
    const known = names.has(entry) || findProvider(entry.split('/', 1)[0] ?? '', inService) !== undefined;
    if (!known)
      throw new CommandFailure(`no provider "${entry}" is known; give slugs as in the keys of "providers"`);
  }
}

/** Where its prompts may go, as JSON shows it: with nothing set, all is allowed. */
export function showPrivacy(privacy: AccountPrivacy | undefined) {
  return {
    allowed_providers: privacy?.allowedProviders ?? null,
    ignored_providers: privacy?.ignoredProviders ?? null,
    paid_training: privacy?.forbidPaidTraining !== true,
    free_training: privacy?.forbidFreeTraining !== true,
    free_publication: privacy?.forbidFreePublication !== true,
    zero_retention_authors: privacy?.zeroRetentionAuthors ?? null,
  };
}

/** A list with commas, in lowercase; one word stands for an empty one. */
function parseList(nothing: string): (text: string) => readonly string[] {
  return (text) => {
    const words = text
      .toLowerCase()
      .split(',')
      .map((word) => word.trim());
    if (words.length === 1 && words[0] === nothing) return [];
    if (words.includes('')) throw new InvalidArgumentError(`It must be a list such as a,b or "${nothing}".`);
    return [...new Set(words)];
  };
}
