import { HeadgateError } from '../../core/errors.ts';
import { choice, optional, Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import { entryOf, type ServerTool } from '../server-tool.ts';
import { checkPatch } from './check-patch.ts';

const type = 'service:apply_patch';
const { definition, check } = toolFunction(
  type,
  'Creates, changes or deletes one file. To create a file, `diff` is its whole text with "+" before every line. To ' +
    'change a file, `diff` is one or more sections: each begins with a line "@@", optionally followed by a line of the ' +
    'file that tells where the section is, then lines with " " before what stays, "-" before what goes and "+" before ' +
    'what comes. There are no line numbers and no file headers.',
  Type.Object({
    type: choice('create_file', 'update_file', 'delete_file'),
    path: text({ description: 'The path of the file.' }),
    diff: optional(text({ description: 'What to write; left out when a file is deleted.' })),
  }),
);

/**
 * `service:apply_patch`: checks patches and hands them to the client, which applies them; nothing is applied here
 * (docs/spec/server-tools.md#apply-patch).
 */
export const applyPatchTool: ServerTool = {
  type,
  concerns: (request) => entryOf(request, type) !== undefined,
  offer: () => [
    {
      type,
      definition,
      idPrefix: 'apc_',
      async run(input, { callId }) {
        const patch = check(input, '');
        const problem = checkPatch(patch);
        if (problem !== undefined) throw new HeadgateError('invalid_request', problem);
        const { type: kind, path, diff } = patch;
        const operation =
          kind === 'delete_file' ? { type: kind, path } : { type: kind, path, diff: diff ?? '' };
        return { output: 'The patch was handed over.', fields: { call_id: callId, operation }, ends: true };
      },
      hidesFailures: true,
    },
  ],
};
