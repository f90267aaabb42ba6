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
