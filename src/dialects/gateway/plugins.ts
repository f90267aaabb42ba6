import type { PluginEntry } from '../../core/inference-request.ts';
import type { ParsedContent, ParsedFile } from '../../core/parsed-file.ts';
import type { DefaultPlugin } from '../../core/plugin-defaults.ts';
import type { CanonicalChat } from '../../core/request.ts';
import { createChecker } from '../../schema/checker.ts';
import { malformed } from '../../schema/fault.ts';
import { asList } from '../../schema/kind-table.ts';
import { readPlugin } from '../../schema/plugin-schemas.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { anyObject, choice, list, optional, Type, text } from '../../util/json-schema.ts';
import { checkImageUrl } from './content/data-url.ts';
import { settleInnerTools } from './tools/service-tools.ts';

/**
 * Reads `plugins`: of two entries with one id the last counts (docs/spec/requests.md#plugins). Undefined without any.
 * @throws HeadgateError `invalid_request`.
 */
export function readPlugins(value: unknown): readonly PluginEntry[] | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = new Map<string, PluginEntry>();
  for (const [index, entry] of asList(value, 'plugins').entries()) {
    const path = `plugins[${index}]`;
    const plugin = settled(readPlugin(entry, path), path);
    entries.delete(plugin.id);
    entries.set(plugin.id, plugin);
  }
  return entries.size === 0 ? undefined : [...entries.values()];
}

/**
 * The plugins of a request with those that are on by default (docs/spec/plugins.md#defaults): an entry of the request replaces a
 * default, unless that is enforced.
 * @param decided Ids of plugins that the request decided about without naming them.
 */
export function withDefaultPlugins(
  requested: readonly PluginEntry[] | undefined,
  defaults: readonly DefaultPlugin[] | undefined,
  decided: readonly string[] = [],
): readonly PluginEntry[] | undefined {
  if (defaults === undefined) return requested;
  const entries = new Map(requested?.map((entry) => [entry.id, entry]));
  for (const { entry, enforced } of defaults) {
    const isDecided = entries.has(entry.id) || decided.includes(entry.id);
    if (enforced || !isDecided) entries.set(entry.id, settled(entry, 'plugin_defaults.fusion'));
  }
  return entries.size === 0 ? undefined : [...entries.values()];
}

/** A plugin whose settings list tools of the gateway by their own names, whatever the request calls them. */
function settled(entry: PluginEntry, path: string): PluginEntry {
  if (entry.id !== 'fusion') return entry;
  return { ...entry, settings: settleInnerTools(entry.settings, path) };
}

/**
 * Whether the middle of a conversation that is too long is left out (docs/spec/plugins.md#context-compression). An entry of the
 * plugin decides before `truncation`, which decides before the size of the context.
 */
export function compressionOf(
  plugins: readonly PluginEntry[] | undefined,
  truncation?: CanonicalChat['truncation'],
): Pick<CanonicalChat, 'compression' | 'truncation'> {
  const listed = plugins?.find(({ id }) => id === 'context-compression')?.enabled;
  if (listed !== undefined) return { compression: listed, truncation: listed ? 'auto' : 'disabled' };
  if (truncation === 'disabled') return { compression: false, truncation };
  return { truncation: truncation ?? 'disabled' };
}

/** Of all files that a client gives back, together. */
const mostCharacters = 16 * 1024 * 1024;

const checkFile = createChecker(
  Type.Object({
    hash: text({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits in small letters' }),
    name: optional(text()),
    content: list(anyObject()),
  }),
);
const checkText = createChecker(Type.Object({ type: choice('text'), text: text() }));
const checkImage = createChecker(
  Type.Object({ type: choice('image_url'), image_url: Type.Object({ url: text() }) }),
);

/**
 * The files that messages of the model show as read (docs/spec/plugins.md#annotations); undefined without any.
 * @param messages The conversation as the client wrote it, in `member`.
 * @throws HeadgateError `invalid_request` for a file that is none.
 */
export function readParsedFiles(messages: unknown, member: string): readonly ParsedFile[] | undefined {
  if (!Array.isArray(messages)) return undefined;
  let files: ParsedFile[] | undefined;
  let characters = 0;
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || message.role !== 'assistant') continue;
    for (const { value, path } of annotationsOf(message, `${member}[${index}]`)) {
      const file = readFile(value, path);
      characters += sizeOf(file);
      if (characters > mostCharacters)
        throw malformed(path, `files are longer than ${mostCharacters} characters`);
      files ??= [];
      files.push(file);
    }
  }
  return files;
}

interface FoundFile {
  readonly value: unknown;
  readonly path: string;
}

/** File annotations of a message itself, and of its parts. */
function* annotationsOf(message: JsonObject, path: string): Generator<FoundFile> {
  yield* filesIn(message.annotations, `${path}.annotations`);
  if (!Array.isArray(message.content)) return;
  for (const [index, part] of message.content.entries()) {
    if (isObject(part)) yield* filesIn(part.annotations, `${path}.content[${index}].annotations`);
  }
}

function* filesIn(annotations: unknown, path: string): Generator<FoundFile> {
  if (!Array.isArray(annotations)) return;
  for (const [index, annotation] of annotations.entries()) {
    if (isObject(annotation) && annotation.type === 'file') {
      yield { value: annotation.file, path: `${path}[${index}].file` };
    }
  }
}

function readFile(value: unknown, path: string): ParsedFile {
  const { hash, name, content } = checkFile(value, path);
  const pieces = content.map((piece, index) => readPiece(piece, `${path}.content[${index}]`));
  return { hash, ...(name !== undefined && name !== null && { name }), content: pieces };
}

function readPiece(piece: JsonObject, path: string): ParsedContent {
  if (piece.type !== 'image_url') return { type: 'text', text: checkText(piece, path).text };
  const { url } = checkImage(piece, path).image_url;
  return { type: 'image_url', image_url: { url: checkImageUrl(url, `${path}.image_url.url`) } };
}

function sizeOf({ content }: ParsedFile): number {
  return content.reduce(
    (sum, piece) => sum + (piece.type === 'text' ? piece.text.length : piece.image_url.url.length),
    0,
  );
}
