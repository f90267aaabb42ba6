import type { ProviderCredential } from '../ports/credentials.ts';
import type { Storage } from '../ports/storage.ts';
import { CommandFailure } from './command-failure.ts';

const mostLooked = 100_000;

/**
 * The credential whose id begins with a text, in whatever account.
 * @throws CommandFailure when there is none, or more than one.
 */
export async function findCredential(storage: Storage, prefix: string): Promise<ProviderCredential> {
  const found: ProviderCredential[] = [];
  for (const { id: accountId } of await storage.accounts.list()) {
    const query = { accountId, offset: 0, limit: mostLooked };
    const { credentials } = await storage.credentials.list(query);
    found.push(...credentials.filter(({ id }) => id.startsWith(prefix.toLowerCase())));
  }
  const [one, ...others] = found;
  if (one === undefined) {
    throw new CommandFailure(
      `no credential has an id that begins with "${prefix}"; see "headgate byok list"`,
    );
  }
  if (others.length === 0) return one;
  throw new CommandFailure(
    `"${prefix}" is the beginning of ${others.length + 1} ids; give more characters of it`,
  );
}
