import type { Command } from 'commander';
import { operator } from '../../operations/actor.ts';
import { testCredential } from '../../operations/credentials/test-credential.ts';
import type { CommandContext } from '../context.ts';

/** `byok test`: makes one short call with a credential and shows what its provider answered. */
export function addByokTestCommand(byok: Command, context: CommandContext): void {
  byok
    .command('test')
    .description('make one cheap call with a credential and say what the provider answered')
    .argument('<id>', 'the id of "headgate byok list" or its beginning')
    .option('--model <id>', 'the model to ask (default: the cheapest of the provider)')
    .action(async (id: string, { model }: { readonly model?: string }) => {
      const { config } = await context.loadConfig();
      await context.withStorage(async (services) => {
        const openTools = () => context.surroundings.openCredentials(config, services.storage);
        const tested = await testCredential(operator, { id, model }, services, config.catalogue, openTools);
        const { credential, milliseconds, answer } = tested;
        const { provider, label } = credential;
        context.answer(
          { id: credential.id, provider, label, model: tested.model, milliseconds, answer },
          `${provider} ${label}: ${tested.model} answered ${JSON.stringify(answer)} after ${milliseconds} ms.\n`,
        );
      }, config);
    });
}
