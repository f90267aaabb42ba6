import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentKeys } from '../src/config/apply-flags.ts';
import { configSchema } from '../src/config/schema.ts';
import { describeAllowed } from '../src/schema/describe-allowed.ts';
import { takesFile } from '../src/schema/key-names.ts';
import type { TSchema } from '../src/util/json-schema.ts';

/** The file of the configuration reference. */
export const configurationReferenceFile: string = join(import.meta.dirname, '../docs/configuration.md');

/** Generates docs/configuration.md from the schema that checks the file. */
export function renderConfigurationReference(): string {
  const variables = Object.entries(environmentKeys).map(
    ([name, path]) => `| \`${name}\` | \`${path.join('.')}\` |`,
  );
  const shown = new Map<string, string>();
  const sections = Object.entries(configSchema.properties ?? {}).map(
    ([name, field]) => `\n## ${name}\n\n${tableHead}${rowsOf(name, field, shown).join('\n')}\n`,
  );
  return `${head}${variables.join('\n')}\n${foot}${sections.join('')}`;
}

/**
 * A row for a key, and one for each key below it.
 * @param shown The paths of maps that were shown before, by their content.
 */
function rowsOf(path: string, field: TSchema, shown: Map<string, string>): readonly string[] {
  const { properties, additionalProperties: values, items } = field;
  const content = JSON.stringify(properties);
  const like = properties === undefined ? undefined : shown.get(content);
  if (like !== undefined) return [rowOf(path, field, `a map as \`${like}\``)];
  if (properties !== undefined) shown.set(content, path);
  const below = [
    ...Object.entries(properties ?? {}).map(([key, value]) => [`${path}.${key}`, value] as const),
    ...(typeof values === 'object' ? [[`${path}.NAME`, values] as const] : []),
    ...(items?.properties === undefined ? [] : [[`${path}[]`, items] as const]),
  ];
  return [rowOf(path, field), ...below.flatMap(([key, value]) => rowsOf(key, value, shown))];
}

function rowOf(path: string, field: TSchema, takes: string = takenBy(field)): string {
  const { properties, description } = field;
  const fallback =
    properties === undefined && field.default !== undefined ? JSON.stringify(field.default) : '';
  const about = [
    ...(description === undefined || description === takes ? [] : [description]),
    ...(takesFile(field) ? [`or \`${path.split('.').at(-1)}_file\``] : []),
  ];
  const cells = [`\`${path}\``, takes, fallback && `\`${fallback}\``, about.join('; ')];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function takenBy(field: TSchema): string {
  if (field.properties !== undefined) return 'a map';
  const { items } = field;
  if (field.type !== 'array' || items === undefined) return describeAllowed(field);
  return items.properties === undefined
    ? `${describeAllowed(field)}: ${describeAllowed(items)}`
    : describeAllowed(field);
}

const tableHead = `| Key | Takes | Default | |
|---|---|---|---|
`;

const head = `# Configuration

<!-- Made by \`npm run docs\` from src/config; a test compares the two. -->

A value comes from the command line, else from the environment, else from the file, else from the default. The file is \`headgate.yaml\` in
the working directory (or \`headgate.yml\`), or the one that \`--config\` or \`HEADGATE_CONFIG\` names. \`\${VAR}\` is replaced by an environment variable. A key that
ends in \`_file\` names a file with the secret. A section with \`enabled\` may be \`false\` instead. In the tables \`NAME\` is a name you choose, and \`[]\` means each entry of a list.

An unknown key, a wrong value or an unset variable stops the start with file, line and remedy; \`headgate check\` reports it beforehand. Changes
of \`providers\`, \`catalog\`, \`models\`, \`location\`, \`routing\` and \`limits\` take effect while the server runs.
The file is watched; SIGHUP reads it again together with the files of secrets, which are not watched. Other changes need a restart. Commands
that call no provider (all except \`serve\`, \`check\` and \`byok test\`) do not need the secrets under \`providers\`. For editors,
\`headgate check --schema\` prints a JSON Schema.

| Variable | Sets |
|---|---|
`;

const foot = `
\`headgate route explain\` and the examples read \`HEADGATE_API_KEY\` and \`HEADGATE_URL\`. Variables that enable providers are in
[providers.md](providers.md), quirks of providers in [adding-a-provider.md](adding-a-provider.md).
`;

if (import.meta.main) writeFileSync(configurationReferenceFile, renderConfigurationReference());
