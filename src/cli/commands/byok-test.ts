import type { Command } from 'commander';
import type { Catalogue, Endpoint, Model } from '../../core/catalogue.ts';
import { toHeadgateError } from '../../core/errors.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { findCredential } from '../find-credential.ts';

interface Target {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** `byok test`: one short call with a credential, past all routing, so that its own answer is seen. */
export function addByokTestCommand(byok: Command, context: CommandContext): void {
  byok
    .command('test')
    .description('make one cheap call with a credential and say what the provider answered')
    .argument('<id>', 'the id of "headgate byok list" or its beginning')
    .option('--model <id>', 'the model to ask (default: the cheapest of the provider)')
    .action((prefix: string, options: { readonly model?: string }) =>
      testCredential(prefix, options, context),
    );
}

async function testCredential(
  prefix: string,
  options: { readonly model?: string },
  context: CommandContext,
): Promise<void> {
  const { config } = await context.loadConfig();
  await context.withStorage(async (storage) => {
    const credential = await findCredential(storage, prefix);
    const target = chooseTarget(credential, options.model, config.catalogue);
    const { vault, ask } = await context.surroundings.openCredentials(config, storage);
    const { id, label, provider } = credential;
    const began = performance.now();
    let said: string;
    try {
      said = await ask(target, await vault.open(credential));
    } catch (thrown) {
      const { message, metadata, cause } = toHeadgateError(thrown);
      const code = metadata.provider_code === undefined ? '' : ` (${metadata.provider_code})`;
      throw new CommandFailure(`${provider} ${label}: ${message}${code}`, { cause });
    }
    const milliseconds = Math.round(performance.now() - began);
    context.answer(
      { id, provider, label, model: target.model.id, milliseconds, answer: said },
      `${provider} ${label}: ${target.model.id} answered ${JSON.stringify(said)} after ${milliseconds} ms.\n`,
    );
  }, config);
}

/** The endpoint to ask: of the model named, else the cheapest the credential is for. */
function chooseTarget(
  { provider, allowedModels }: ProviderCredential,
  wanted: string | undefined,
  { models, providers }: Catalogue,
): Target {
  const targets = [...models.values()]
    .filter((model) => wanted === undefined || model.id === wanted)
    .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })))
    .filter(({ model, endpoint }) => {
      const covered = wanted !== undefined || (allowedModels?.includes(model.id) ?? true);
      return covered && endpoint.provider.slug === provider && model.outputModalities.includes('text');
    });
  const [cheapest] = targets.sort((one, other) => priceOf(one) - priceOf(other));
  if (cheapest !== undefined) return cheapest;
  if (!providers.has(provider)) {
    throw new CommandFailure(`none of ${provider}'s models is served; ${bringIntoService(provider)}`);
  }
  throw new CommandFailure(
    wanted === undefined
      ? `the catalogue has no model of ${provider} that this credential is for; see "headgate models list --provider ${provider}"`
      : `${provider} does not serve "${wanted}" here; see "headgate models list --provider ${provider}"`,
  );
}

/** What a short call costs, roughly; an unpriced endpoint comes last. */
function priceOf({ endpoint: { price } }: Target): number {
  return price === undefined ? Number.POSITIVE_INFINITY : Number(price.prompt + price.completion);
}

/** What serves a provider's models to those who bring their own credentials, though the operator has none. */
export function bringIntoService(provider: string): string {
  return `add "providers: { ${provider}: {} }" to the configuration`;
}
