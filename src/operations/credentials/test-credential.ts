import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError, toHeadgateError } from '../../core/errors.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { Secret } from '../../util/secret.ts';
import type { OperatorActor } from '../actor.ts';
import type { OtherServices, Uses } from '../services.ts';
import { chooseTestTarget, type TestTarget } from './choose-test-target.ts';
import { findCredential } from './find-credential.ts';

/** Opens the vault and makes the call. Opened only once there is something to ask. */
export type OpenTestTools = () => Promise<
  Pick<OtherServices, 'vault'> & {
    ask(target: TestTarget, secret: Secret): Promise<string>;
  }
>;

/** What came of a test call. */
export interface TestedCredential {
  readonly credential: ProviderCredential;
  readonly model: string;
  readonly milliseconds: number;
  /** What the model said. */
  readonly answer: string;
}

/**
 * Makes one short call with a credential, without routing or charging, so that its provider's own answer is seen.
 * @param input.model The id of the model to ask; by default the cheapest the credential is for.
 * @throws HeadgateError `not_found` or `invalid_request` when there is no such credential or nothing to ask;
 *   `provider_failed` with what the provider answered instead.
 */
export async function testCredential(
  actor: OperatorActor,
  input: { readonly id: string; readonly model?: string },
  services: Uses<'accounts' | 'credentials'>,
  catalogue: Catalogue,
  openTools: OpenTestTools,
): Promise<TestedCredential> {
  const credential = await findCredential(actor, input.id, services);
  const { allowedModels } = credential;
  const target = chooseTestTarget(actor, credential, input.model, catalogue, ({ id }) => {
    return input.model !== undefined || (allowedModels?.includes(id) ?? true);
  });
  const { vault, ask } = await openTools();
  const began = performance.now();
  try {
    const answer = await ask(target, await vault.open(credential));
    const milliseconds = Math.round(performance.now() - began);
    return { credential, model: target.model.id, milliseconds, answer };
  } catch (thrown) {
    const { message, metadata, cause } = toHeadgateError(thrown);
    const code = metadata.provider_code === undefined ? '' : ` (${metadata.provider_code})`;
    const text = `${credential.provider} ${credential.label}: ${message}${code}`;
    throw new HeadgateError('provider_failed', text, { cause });
  }
}
