import { HeadgateError, publicMessage, toHeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { choice, optional, Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import {
  entryOf,
  type ServerTool,
  type ToolContext,
  type ToolOffer,
  type ToolResult,
} from '../server-tool.ts';
import { type FileOperation, type FilesOfTool, operate } from './operate.ts';

const type = 'service:files';
const { definition, check } = toolFunction(
  type,
  'Works with the text files of this workspace. "list": their names and ids, the newest first. "read": the text of one. ' +
    '"write": a new file with `filename` and `content`; nothing is overwritten. "edit": a copy of a file in which ' +
    '`old_string`, which must occur exactly once, is replaced by `new_string`. A file is named by `file_id`, else by ' +
    '`filename`, which means the newest of that name.',
  Type.Object({
    operation: choice('list', 'read', 'write', 'edit'),
    file_id: optional(text({ description: 'The id of a file; better than its name.' })),
    filename: optional(text({ description: 'The name of a file.' })),
    filename_filter: optional(text({ description: 'For list: a part of the name.' })),
    content: optional(text({ description: 'For write: the whole text.' })),
    old_string: optional(text({ description: 'For edit: the text to replace.' })),
    new_string: optional(text({ description: 'For edit: the text in its place.' })),
    new_filename: optional(
      text({ description: 'For edit: the name of the copy; that of the file by default.' }),
    ),
  }),
);

/** `service:files`: files of the workspace, for the model (docs/spec/server-tools.md#files). */
export function filesTool(files: FilesOfTool, isEnabled: () => boolean): ServerTool {
  return {
    type,
    concerns: (request) => entryOf(request, type) !== undefined,
    offer() {
      if (!isEnabled())
        throw new HeadgateError('invalid_request', `tools: "${type}" is not available on this server`);
      return [new FilesOffer(files)];
    },
  };
}

class FilesOffer implements ToolOffer {
  readonly type = type;
  readonly definition = definition;
  readonly idPrefix = 'fl_';
  readonly #files: FilesOfTool;

  constructor(files: FilesOfTool) {
    this.#files = files;
  }

  async run(input: JsonObject, context: ToolContext): Promise<ToolResult> {
    const asked = { ...shown(input), call_id: context.callId, arguments: context.written };
    try {
      const { file, result } = await operate(check(input, '') as FileOperation, context, this.#files);
      const about = file && { file_id: file.id, filename: file.filename };
      return {
        output: JSON.stringify({ result }),
        fields: { ...asked, ...about, result: JSON.stringify(result) },
      };
    } catch (thrown) {
      const error = publicMessage(toHeadgateError(thrown));
      return { output: JSON.stringify({ error }), fields: { ...asked, error } };
    }
  }
}

function shown({ operation, file_id, filename }: JsonObject): JsonObject {
  return {
    ...(typeof operation === 'string' && { operation }),
    ...(typeof file_id === 'string' && { file_id }),
    ...(typeof filename === 'string' && { filename }),
  };
}
