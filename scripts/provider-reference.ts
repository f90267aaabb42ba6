import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderRow } from '../src/catalogue/provider-row.ts';
import { providerRows } from '../src/catalogue/provider-rows.ts';
import { chatQuirksSchema } from '../src/core/chat-quirks.ts';

/** The file of the reference of built-in providers. */
export const providerReferenceFile = join(import.meta.dirname, '../docs/providers.md');

/** The guide with the table of quirks. */
export const providerGuideFile = join(import.meta.dirname, '../docs/adding-a-provider.md');

const begin =
  '<!-- Quirks: made by `npm run docs` from src/core/chat-quirks.ts; a test compares the two. -->';
const end = '<!-- End of the quirks. -->';

/** Generates docs/adding-a-provider.md, with its table of quirks from their schema. */
export function renderProviderGuide(): string {
  const [before = '', rest = ''] = readFileSync(providerGuideFile, 'utf8').split(begin);
  const [, after = ''] = rest.split(end);
  const quirks = Object.entries(chatQuirksSchema.properties as Record<string, QuirkField>);
  const rows = quirks.map(
    ([name, field]) => `| \`${name}\` | ${valuesOf(field)} | ${field.description ?? ''} |`,
  );
  return `${before}${begin}\n\n| Quirk | Values | Meaning |\n|---|---|---|\n${rows.join('\n')}\n\n${end}${after}`;
}

interface QuirkField {
  readonly type: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: { readonly enum?: readonly string[] };
}

function valuesOf({ type, enum: words, items }: QuirkField): string {
  const spelled = (list: readonly string[]) => list.map((word) => `\`${word}\``).join(', ');
  if (words !== undefined) return spelled(words);
  if (items?.enum !== undefined) return `list of ${spelled(items.enum)}`;
  const plain: Readonly<Record<string, string>> = {
    string: 'text',
    boolean: 'true, false',
    array: 'list',
    object: 'map',
  };
  return plain[type] ?? type;
}

/** Generates docs/providers.md from the data rows. */
export function renderProviderReference(): string {
  const rows = providerRows.filter(({ slug }) => slug !== 'sandbox');
  const counted = (state: ProviderRow['checked']) => rows.filter(({ checked }) => checked === state).length;
  const table = [...rows].sort(bySlug).map(renderRow);
  return `${head(rows.length, counted('documentation'), counted('clients'), counted(undefined))}${table.join('\n')}\n${foot}`;
}

function bySlug(left: ProviderRow, right: ProviderRow): number {
  return left.slug < right.slug ? -1 : 1;
}

function renderRow(row: ProviderRow): string {
  const { slug, name, adapter, checked, source = '' } = row;
  const cells = [
    `\`${slug}\``,
    name,
    adapter,
    enabledBy(row),
    differences(row),
    checked === undefined ? `unverified${source === '' ? '' : `: ${source}`}` : `${checked}: ${source}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The variables that enable a row's provider. */
function enabledBy({ variable, variableParts, addressVariable, baseUrl }: ProviderRow): string {
  const names = [variable ?? '', ...(baseUrl?.match(/(?<=\{)\w+(?=\})/g) ?? [])].filter(Boolean);
  const spelled = (list: readonly string[]) => list.map((name) => `\`${name}\``).join(', ');
  const phrases = [spelled(names)];
  if (addressVariable !== undefined) phrases.push(`if it is a bare key, with ${spelled([addressVariable])}`);
  if (variableParts !== undefined) {
    const { needed, optional } = variableParts;
    const parts = `${spelled(Object.values(needed))} and optionally ${spelled(Object.values(optional))}`;
    phrases.push(`or ${parts} instead of the first`);
  }
  return phrases.join('; ');
}

/** The differences of a row: its quirks, then what no quirk describes. */
function differences({ quirks = {}, note }: ProviderRow): string {
  const phrases = Object.entries(quirks).map(([name, value]) => `\`${name}\` ${spell(value)}`);
  return [...phrases, ...(note === undefined ? [] : [note])].join('; ');
}

function spell(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '');
}

const head = (all: number, documented: number, clients: number, unverified: number) => `# Built-in providers

<!-- Made by \`npm run docs\` from src/catalogue/*-rows.ts; a test compares the two. -->

Setting the variables of the fourth column enables a provider; \`providers.<slug>\` in \`headgate.yaml\` changes the members it names and keeps
the rest. Models come from the built-in catalogue if their prices are known, else from \`models\`.

The fifth column shows differences from the usual dialect: quirks by name (see [adding a provider](adding-a-provider.md)), then notes. The last
column names the source: \`documentation\` means the provider's own pages or client library, read directly or cited by a named client;
\`clients\` means other maintained clients, which know address and credential but few differences. No row was tested against the
provider itself. Of ${all} rows, ${documented} have documentation as source, ${clients} clients, and ${unverified} are unverified.

| Slug | Name | Adapter | Enabled by | Differences | Source |
|---|---|---|---|---|---|
`;

const foot = `
A policy on prompts is declared only if it is known for every model of the provider. Otherwise the provider counts as retaining prompts and
training on them; set \`retains_prompts\` and \`trains_on_prompts\` to change that.
`;

if (import.meta.main) {
  writeFileSync(providerReferenceFile, renderProviderReference());
  writeFileSync(providerGuideFile, renderProviderGuide());
}
