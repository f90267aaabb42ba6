import { byKind, choice, integer, list, map, optional, Type, text } from '../../../../util/json-schema.ts';
import { hostedItem } from './hosted-item.ts';
import { statusOf, usualStatuses } from './status.ts';

const callId = text({ minLength: 1 });
const usual = statusOf(...usualStatuses);

const LocalCommandSchema = Type.Object({
  type: choice('exec'),
  command: list(text()),
  env: map(text()),
  timeout_ms: optional(integer()),
  user: optional(text()),
  working_directory: optional(text()),
});

/** `action` of a shell call, wherever it runs. */
export const CommandsSchema = Type.Object({
  commands: list(text()),
  timeout_ms: optional(integer()),
  max_output_length: optional(integer()),
});

/** What one command of a shell call wrote, and how it ended. */
export const CommandOutputSchema = Type.Object({
  stdout: text(),
  stderr: text(),
  outcome: byKind('type', {
    exit: Type.Object({ type: choice('exit'), exit_code: integer() }),
    timeout: Type.Object({ type: choice('timeout') }),
  }),
});

/** `operation` of a patch. */
export const PatchSchema = byKind('type', {
  create_file: Type.Object({ type: choice('create_file'), path: text(), diff: text() }),
  update_file: Type.Object({ type: choice('update_file'), path: text(), diff: text() }),
  delete_file: Type.Object({ type: choice('delete_file'), path: text() }),
});

/** Items of shells and patches; outputs without their call are plain context (docs/spec/items.md#pairing). */
export const shellItems = {
  local_shell_call: hostedItem('local_shell_call', { call_id: callId, action: LocalCommandSchema }, usual),
  local_shell_call_output: hostedItem('local_shell_call_output', { output: text() }, usual),
  shell_call: hostedItem(
    'shell_call',
    {
      call_id: callId,
      action: CommandsSchema,
      arguments: optional(text()),
      environment: Type.Optional(Type.Unknown()),
    },
    usual,
  ),
  shell_call_output: hostedItem(
    'shell_call_output',
    {
      call_id: callId,
      output: list(CommandOutputSchema),
      max_output_length: optional(integer()),
      container_id: optional(text()),
      files: Type.Optional(Type.Unknown()),
      error: Type.Optional(Type.Unknown()),
    },
    usual,
  ),
  apply_patch_call: hostedItem(
    'apply_patch_call',
    { call_id: callId, operation: PatchSchema },
    statusOf('in_progress', 'completed'),
  ),
  apply_patch_call_output: hostedItem(
    'apply_patch_call_output',
    { call_id: callId, output: optional(text()) },
    choice('completed', 'failed'),
  ),
} as const;
