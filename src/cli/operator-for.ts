import type { Command } from 'commander';
import { type OperatorActor, operator } from '../management/actor.ts';

/** Adds the option that names the account of all commands below a command. */
export function withAccount(group: Command): Command {
  return group.option('--account <id>', 'the account, where there are several');
}

/** The operator, who means the account of the option. */
export function operatorFor(group: Command): OperatorActor {
  const { account } = group.opts<{ readonly account?: string }>();
  return account === undefined ? operator : { ...operator, account };
}
