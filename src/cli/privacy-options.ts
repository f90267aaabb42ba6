import { type Command, InvalidArgumentError } from 'commander';
import type { AccountPrivacy } from '../ports/accounts.ts';
import { parseSwitch } from './option-values.ts';

/** Options of `accounts set` for where prompts may go; undefined leaves a setting as it is. */
export interface PrivacyOptions {
  readonly allowProviders?: readonly string[];
  readonly ignoreProviders?: readonly string[];
  readonly paidTraining?: boolean;
  readonly freeTraining?: boolean;
  readonly freePublication?: boolean;
  readonly zeroRetentionAuthors?: readonly string[];
}

/** Adds the options that say where an account's prompts may go (docs/spec/accounts.md#accounts). */
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

/** The settings that options give. */
export function readPrivacy(options: PrivacyOptions): AccountPrivacy {
  const { allowProviders, ignoreProviders, zeroRetentionAuthors: authors } = options;
  return {
    ...(allowProviders && { allowedProviders: allowProviders }),
    ...(ignoreProviders && { ignoredProviders: ignoreProviders }),
    ...(authors && { zeroRetentionAuthors: authors }),
    ...(options.paidTraining !== undefined && { forbidPaidTraining: !options.paidTraining }),
    ...(options.freeTraining !== undefined && { forbidFreeTraining: !options.freeTraining }),
    ...(options.freePublication !== undefined && { forbidFreePublication: !options.freePublication }),
  };
}

/** Parses a list with commas, in lowercase. One word means an empty one. */
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
