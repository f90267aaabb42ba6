import type { Account } from '../ports/accounts.ts';
import type { Storage } from '../ports/storage.ts';
import { CommandFailure } from './command-failure.ts';

/**
 * The account a command works on: the one named, or the only one there is.
 * @throws CommandFailure when there is none, or more than one and none was named.
 */
export async function findAccount(storage: Storage, id: string | undefined): Promise<Account> {
  if (id !== undefined) {
    const account = await storage.accounts.find(id);
    if (account !== undefined) return account;
    throw new CommandFailure(`no account "${id}"; see "headgate accounts list"`);
  }
  const [only, ...others] = await storage.accounts.list();
  if (only === undefined) {
    throw new CommandFailure(
      'there is no account yet; run "headgate serve" once or "headgate accounts create --name NAME"',
    );
  }
  if (others.length === 0) return only;
  throw new CommandFailure(
    `there are ${others.length + 1} accounts; name one with --account (see "headgate accounts list")`,
  );
}
