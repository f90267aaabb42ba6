import type { Command } from 'commander';
import { type ShownConversation, sayAgain } from '../../content/conversation-items.ts';
import type { JsonObject } from '../../util/json.ts';
import { askServer, type ServerAccess } from '../ask-server.ts';
import type { CommandContext } from '../context.ts';

interface ReplayOptions extends ServerAccess {
  readonly model?: string;
}

/** `replay`: prints the request that a call was, as far as it is kept. It is never sent by itself. */
export function addReplayCommand(program: Command, context: CommandContext): void {
  program
    .command('replay')
    .description('print the body of a request from what was kept of a call; nothing is sent')
    .argument('<generation>', 'the id of the call')
    .option('--model <slug>', 'the model; by default the one that was asked for')
    .option('--url <url>', 'address of the server (default: HEADGATE_URL, else as configured)')
    .option('--key <key>', 'a management key of the account (default: HEADGATE_API_KEY)')
    .action(async (id: string, { model, ...access }: ReplayOptions) => {
      const named = encodeURIComponent(id);
      // First, so that nothing is read of a call that is not there.
      const call = await askServer(`/generations/${named}`, undefined, access, context);
      const { row, replay } = (call as { data: CallFacts }).data;
      const kept = await askServer(`/generation/content?id=${named}`, undefined, access, context);
      const { conversation } = (kept as { data: { conversation: ShownConversation } }).data;
      const { items, settings } = sayAgain(conversation, replay);
      const body = { model: model ?? row.requested_model, ...settings, input: items };
      context.answer(body, `${JSON.stringify(body, undefined, 2)}\n`);
    });
}

/** What is read of a call. */
interface CallFacts {
  readonly row: { readonly requested_model: string };
  readonly replay: JsonObject | null;
}
