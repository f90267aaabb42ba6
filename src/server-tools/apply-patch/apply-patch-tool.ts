import { HeadgateError } from '../../core/errors.ts';
import { choice, optional, Type, text } from '../../util/json-schema.ts';
import { toolFunction } from '../function-definition.ts';
import { entryOf, type ServerTool } from '../server-tool.ts';

/** A patch as a model writes it. */
export interface Patch {
  readonly type: 'create_file' | 'update_file' | 'delete_file';
  readonly path: string;
  readonly diff?: string | null;
}

const endOfFile = '*** End of File';

/**
 * Checks a patch by the V4A rules (docs/spec/server-tools.md#apply-patch). Returns what is wrong, with the number of the line;
 * undefined when nothing is.
 */
export function checkPatch({ type, path, diff }: Patch): string | undefined {
  if (path === '') return 'path: is empty';
  if (/[\0\r\n]/.test(path)) return 'path: holds a line end or NUL';
  if (type === 'delete_file') return diff ? 'diff: a deletion has none' : undefined;
  if (typeof diff !== 'string') return 'diff: is required';
  const lines = linesOf(diff);
  return type === 'create_file' ? checkCreation(lines) : checkUpdate(lines);
}

/** The lines, without the empty one behind the last line end. */
function linesOf(diff: string): readonly string[] {
  const lines = diff.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function checkCreation(lines: readonly string[]): string | undefined {
  const begin = lines[0]?.startsWith('@@') ? 1 : 0;
  const wrong = lines.findIndex((line, index) => index >= begin && !line.startsWith('+'));
  return wrong < 0 ? undefined : `diff, line ${wrong + 1}: every line of a new file begins with "+"`;
}

function checkUpdate(lines: readonly string[]): string | undefined {
  let changes = 0;
  let isOver = false;
  let hasHunk = false;
  for (const [index, line] of lines.entries()) {
    const place = `diff, line ${index + 1}`;
    if (line.startsWith('@@')) {
      hasHunk = true;
      isOver = false;
      continue;
    }
    if (line === endOfFile) {
      isOver = true;
      continue;
    }
    if (isOver) return `${place}: nothing but "@@" may follow the end of the file`;
    if (!hasHunk) return `${place}: a section begins with "@@"`;
    if (line !== '' && !/^[ +-]/.test(line)) return `${place}: begins with neither " ", "+" nor "-"`;
    if (/^[+-]/.test(line)) changes += 1;
  }
  return changes === 0 ? 'diff: changes nothing' : undefined;
}

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
