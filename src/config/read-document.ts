import { readFile } from 'node:fs/promises';
import { Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { ConfigError, type ConfigProblem, type Position, reasonOf } from './config-error.ts';

/** A parsed configuration file with what is needed to tell lines. */
export interface ConfigDocument {
  readonly document: Document;
  readonly lines: LineCounter;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads and parses a configuration file; without a name, an empty one.
 * @param name How messages call the file.
 * @throws ConfigError when the file cannot be read or is so broken that nothing else can be said about it.
 */
export async function readDocument(path: string | undefined, name: string): Promise<ConfigDocument> {
  const lines = new LineCounter();
  if (path === undefined) return { document: new Document({}), lines, problems: [] };
  const text = await readText(path, name);
  // Source excerpts in the parser's own messages could show a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = new Map<number, ConfigProblem>();
  for (const { code, pos } of document.errors) {
    const { line } = lines.linePos(pos[0]);
    // One slip makes the parser stumble over the rest of the line.
    if (!problems.has(line)) problems.set(line, syntaxProblem({ source: name, line }, code, text));
  }
  const onlyDuplicates = document.errors.every(({ code }) => code === 'DUPLICATE_KEY');
  if (!onlyDuplicates) throw new ConfigError([...problems.values()]);
  // A null, as `---` alone is, says as little as nothing at all.
  if (isScalar(document.contents) && document.contents.value === null) document.contents = null;
  return { document, lines, problems: [...problems.values(), ...strayAliases(document, lines, name)] };
}

/** Finds aliases without an anchor. The parser does not report them, and reading their value gives nothing. */
function strayAliases(document: Document, lines: LineCounter, source: string): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return;
      problems.push({
        position: { source, line: lines.linePos(alias.range?.[0] ?? 0).line },
        path: '',
        problem: `*${alias.source} is an alias of nothing`,
        allowed: 'the name of an anchor (&name) above it',
        remedy: 'correct the name, or put text that begins with * in quotes',
      });
    },
  });
  return problems;
}

function syntaxProblem(position: Position & { line: number }, code: string, text: string): ConfigProblem {
  const hasBareVariable = /[{[,].*:?\s\$\{/.test(text.split('\n')[position.line - 1] ?? '');
  return {
    position,
    path: '',
    problem: `broken YAML (${code.toLowerCase().replaceAll('_', ' ')})`,
    allowed: 'YAML 1.2',
    remedy: hasBareVariable ? bareVariable : (remedies[code] ?? generalRemedy),
  };
}

const generalRemedy = 'check indentation, colons and quotes on and above this line';
const bareVariable = `inside { } and [ ] write "\${VAR}" in quotes`;

const remedies: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'remove one of the two keys of the same name',
  TAB_AS_INDENT: 'indent with spaces',
  MULTIPLE_DOCS: 'remove the second document',
};

const unreadable = 'let this user read it';

async function readText(path: string, name: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw new ConfigError([
      {
        position: { source: name },
        path: '',
        problem: `the file cannot be read (${reason})`,
        remedy: reason === 'EACCES' ? unreadable : 'correct --config or HEADGATE_CONFIG, or create the file',
      },
    ]);
  }
}
