import type { Command } from 'commander';
import { nearest } from '../../config/nearest.ts';
import type { Catalogue } from '../../core/catalogue.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { discoveredCatalogue } from '../discovered-catalogue.ts';
import { formatTable } from '../format-table.ts';
import { modelColumns, modelRow, modelText, showModel } from '../model-view.ts';

/** `models list` and `models show`: the effective catalogue. */
export function addModelCommands(program: Command, context: CommandContext): void {
  const models = program.command('models').description('the effective catalogue');
  models
    .command('list')
    .description('list the models clients can name')
    .option('--provider <slug>', 'only those a provider serves')
    .action(async ({ provider }: { provider?: string }) => {
      const catalogue = await loadCatalogue(context);
      if (provider !== undefined && !catalogue.providers.has(provider)) {
        const known = [...catalogue.providers.keys()].join(', ');
        throw new CommandFailure(`no provider "${provider}" is in service; there are: ${known}`);
      }
      const found = [...catalogue.models.values()].filter(
        ({ endpoints }) =>
          provider === undefined || endpoints.some((endpoint) => endpoint.provider.slug === provider),
      );
      context.answer({ models: found.map(showModel) }, formatTable(modelColumns, found.map(modelRow)));
    });
  models
    .command('show')
    .description('show a model and its endpoints')
    .argument('<id>', 'author/name')
    .action(async (id: string) => {
      const catalogue = await loadCatalogue(context);
      const model = [...catalogue.models.values()].find((one) => one.id.toLowerCase() === id.toLowerCase());
      if (model === undefined) {
        const near = nearest(id, [...catalogue.models.keys()]);
        const advice = near === undefined ? 'see "headgate models list"' : `did you mean "${near}"?`;
        throw new CommandFailure(`no model "${id}" is served; ${advice}`);
      }
      context.answer(showModel(model), modelText(model));
    });
}

async function loadCatalogue(context: CommandContext): Promise<Catalogue> {
  const { catalogue } = await context.loadForBooks();
  return discoveredCatalogue(catalogue, context.surroundings.stderr);
}
