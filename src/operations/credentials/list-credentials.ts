import type { ProviderCredential } from '../../ports/credentials.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { KeyActor, OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { chooseWorkspace } from '../workspaces/choose-workspace.ts';
import { requireProvider } from './read-credential.ts';

const mostListed = 100_000;

/** Which credentials to list. `workspace` is read after `provider` was checked. */
export interface CredentialPage {
  readonly provider: string | undefined;
  /** The default workspace where none is named. */
  readonly workspace: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Some credentials, by provider, place and age. */
export interface ListedCredentials {
  readonly credentials: readonly ProviderCredential[];
  /** How many there are in all. */
  readonly total: number;
}

/**
 * Lists the credentials of a workspace and those of its whole account.
 * @throws HeadgateError `invalid_request` for an unknown provider or workspace.
 */
export async function listCredentials(
  actor: KeyActor,
  input: CredentialPage,
  services: Uses<'accounts' | 'workspaces' | 'credentials', 'credentialForms'>,
): Promise<ListedCredentials> {
  const { provider, offset, limit } = input;
  if (provider !== undefined) requireProvider(actor, provider, services.credentialForms);
  const { account } = actor;
  const workspaceId = await chooseWorkspace(actor, account, input.workspace, services);
  return services.storage.credentials.list({ accountId: account.id, workspaceId, provider, offset, limit });
}

/** Lists the credentials of all workspaces of an account. Refuses like `accountOf`. */
export async function listAllCredentials(
  actor: OperatorActor,
  { account, provider }: { readonly account?: string; readonly provider?: string },
  services: Uses<'accounts' | 'credentials'>,
): Promise<readonly ProviderCredential[]> {
  const { id: accountId } = await accountOf(actor, account, services);
  const query = { accountId, provider, offset: 0, limit: mostListed };
  return (await services.storage.credentials.list(query)).credentials;
}
