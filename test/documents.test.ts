import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { CliEnvironment } from '../src/cli/cli-environment.ts';
import { runCommandLine } from '../src/cli/run-command-line.ts';
import { environmentKeys } from '../src/config/apply-flags.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { configSchema } from '../src/config/schema.ts';
import { openApiDocument } from '../src/interface/openapi-document.ts';
import { interfaceRows } from '../src/interface/routes.ts';
import type { PublishedDocument } from './support/published-interface.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const root = join(import.meta.dirname, '..');

interface Page {
  readonly name: string;
  readonly text: string;
}

const pages: readonly Page[] = ['*.md', 'docs/**/*.md', 'clients/*.md', 'test/*/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
/** What is said of versions gone by need not hold today. */
const current = pages.filter(({ name }) => name !== 'CHANGELOG.md' && !name.startsWith('docs/decisions/'));

/** The fenced blocks of a page in one of some languages. */
function blocks({ text }: Page, ...languages: readonly string[]): readonly string[] {
  const found = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return found.flatMap(([, language = '', body = '']) => (languages.includes(language) ? [body] : []));
}

/** Headings as links name them. */
function anchors(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('npm is told of every package with an install script whether it may run: without that of node, none starts', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const packages: Record<string, { hasInstallScript?: boolean }> = read('package-lock.json').packages;
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
    // The package of its own: npm runs its scripts anyway.
    .filter((name) => name !== '');
  const { allowScripts } = read('package.json');
  assert.deepEqual(Object.keys(allowScripts).sort(), [...new Set(withScript)].sort());
  assert.equal(allowScripts.node, true);
});

test('every link of the documentation leads to a file and a heading that are there', () => {
  let links = 0;
  for (const { name, text } of pages) {
    const prose = text.replaceAll(/^```.*?^```$/gms, '');
    for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? name : relative(root, join(root, dirname(name), path));
      assert.ok(existsSync(join(root, target)), `${name}: ${link}`);
      links += 1;
      if (anchor === undefined || !target.endsWith('.md')) continue;
      assert.ok(anchors(readFileSync(join(root, target), 'utf8')).has(anchor), `${name}: ${link}`);
    }
  }
  assert.ok(links > 100);
});

/** What `--help` says after these words. */
async function helpFor(...words: readonly string[]): Promise<string> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const environment = { stdout: write, stderr: write } as Partial<CliEnvironment> as CliEnvironment;
  await runCommandLine([...words, '--help'], environment);
  return text;
}

/** The words after `headgate`, wherever a page shows a command of it. */
function commandsOf(page: Page): readonly string[] {
  const shell = blocks(page, 'bash')
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/\s#\s.*$/, ''));
  const inline = [...page.text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...shell, ...inline].flatMap(
    (line) => /^\s*(?:.*(?:npm run headgate --|headgate\.js)|headgate) ([a-z].*)$/.exec(line)?.[1] ?? [],
  );
}

test('every command of the documentation is one, with options it has', async () => {
  let commands = 0;
  for (const page of current) {
    for (const command of commandsOf(page)) {
      const [first = '', second = ''] = command.split(/\s+/);
      const named = (help: string, word: string) =>
        new RegExp(`^ {2}${word}\\b`, 'm').test(help.split('Commands:')[1] ?? '');
      const place = `${page.name}: headgate ${command}`;
      assert.ok(named(await helpFor(), first), place);
      const above = await helpFor(first);
      const isGroup = above.includes('Commands:') && /^[a-z]/.test(second);
      assert.ok(!isGroup || named(above, second), place);
      const help = isGroup ? await helpFor(first, second) : above;
      for (const [option] of command.matchAll(/(?<=\s)--[a-z-]+/g)) {
        assert.match(help, new RegExp(`${option}\\b`), place);
      }
      commands += 1;
    }
  }
  assert.ok(commands > 30, `${commands} commands`);
});

test('every dependency has its line', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  for (const name of Object.keys(dependencies)) assert.ok(text.includes(`\n| \`${name}\` |`), name);
  for (const name of Object.keys(devDependencies)) assert.ok(text.includes(`\`${name}\``), name);
});

test('docs/errors.md names every member that the metadata of an error may have', () => {
  const text = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const { Error: problem } = (openApiDocument(interfaceRows) as unknown as PublishedDocument).components
    .schemas;
  const { error } = membersOf(problem);
  const { metadata } = membersOf(error);
  const names = Object.keys(membersOf(metadata));
  assert.ok(names.length > 5);
  for (const name of names)
    assert.ok(text.includes(`\`${name}\``) || text.includes(`metadata.${name}`), name);
});

function membersOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (schema as { readonly properties?: Readonly<Record<string, unknown>> }).properties ?? {};
}

test('every script of the documentation is one of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  for (const { name, text } of current) {
    for (const [, script = ''] of text.matchAll(/npm run ([a-z][a-z0-9:-]*[a-z0-9])/g)) {
      assert.ok(script in scripts, `${name}: npm run ${script}`);
    }
  }
});

/** What examples lean on without saying it once more. */
const presumed = `providers:
  northgpu: { name: NorthGPU, adapter: openai-chat, base_url: "http://127.0.0.1:9100/v1" }
`;

test('every configuration of the documentation is taken as it stands', async () => {
  const directory = temporaryFolder();
  const file = join(directory, 'headgate.yaml');
  await writeFile(join(directory, 'scores.jsonl'), '');
  const sections = Object.keys((configSchema as { readonly properties?: object }).properties ?? {});
  let configurations = 0;
  for (const page of current) {
    for (const block of blocks(page, 'yaml')) {
      const keys = Object.keys(parse(block) as object);
      if (!keys.every((key) => sections.includes(key))) continue;
      await writeFile(file, keys.includes('providers') ? block : presumed + block);
      const variables = [...block.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'.repeat(40)]);
      const environment = Object.fromEntries(variables) as Record<string, string>;
      await assert.doesNotReject(loadConfig({ environment, directory, file }), `${page.name}:\n${block}`);
      configurations += 1;
    }
  }
  assert.ok(configurations > 4, `${configurations} configurations`);
});

/** What the files of secrets hold that configurations name. */
const secretFiles: Readonly<Record<string, string>> = {
  database_url: 'postgres://headgate:secret@db/headgate',
  redis_url: 'redis://cache:6379/0',
  master_key: Buffer.alloc(32, 7).toString('base64'),
  management_key: 'm'.repeat(40),
  api_key: 'k'.repeat(40),
};

test('every configuration to start from is taken, with the secrets it names', async () => {
  const directory = temporaryFolder();
  for (const [name, content] of Object.entries(secretFiles)) {
    await writeFile(join(directory, name), content);
    await writeFile(join(directory, name.replaceAll('_', '-')), content);
  }
  const files = globSync('{deploy,examples}/**/headgate.yaml', { cwd: root });
  assert.ok(files.length > 2, files.join());
  for (const name of files) {
    const text = readFileSync(join(root, name), 'utf8');
    const file = join(directory, 'headgate.yaml');
    await writeFile(file, text.replaceAll(/(?<=_file: )\/[\w/]+\/(?=[\w-]+)/g, `${directory}/`));
    const { warnings } = await loadConfig({ environment: {}, directory, file });
    assert.deepEqual(warnings, [], name);
  }
});

test('every piece of JSON in the documentation is one', () => {
  for (const page of current) {
    for (const block of blocks(page, 'json')) assert.doesNotThrow(() => JSON.parse(block), page.name);
  }
});

test('every variable of the environment that operators are told of is read', () => {
  const known = [...Object.keys(environmentKeys), 'HEADGATE_CONFIG', 'HEADGATE_API_KEY', 'HEADGATE_URL'];
  const ofTests = /^HEADGATE_(E2E_ENGINES|CRASH_ROUNDS|FUZZ_RUNS|MODEL_RUNS)$/;
  for (const { name, text } of current) {
    for (const [variable] of text.matchAll(/\bHEADGATE_[A-Z0-9_]+\b/g)) {
      assert.ok(known.includes(variable) || ofTests.test(variable), `${name}: ${variable}`);
    }
  }
});
