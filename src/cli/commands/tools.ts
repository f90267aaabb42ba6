import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { formatTable } from '../format-table.ts';
import { toolColumns, toolRow, toolsOf } from '../tool-view.ts';

/** `tools list`: what of the gateway's own tools is on, and what is missing. */
export function addToolCommands(program: Command, context: CommandContext): void {
  const tools = program.command('tools').description('tools that the gateway runs for models');
  tools
    .command('list')
    .description('list the tools, what they work with and what is missing')
    .action(async () => {
      const shown = toolsOf(await context.loadForBooks());
      context.answer({ tools: shown }, formatTable(toolColumns, shown.map(toolRow)));
    });
}
