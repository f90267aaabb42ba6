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

type Owner = Pick<ToolContext, 'accountId' | 'workspaceId'>;

/** A file as the tool sees it. Times are Unix milliseconds. */
interface ToolFile {
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
  readonly createdAt: number;
}

/** The files of a workspace. Every call throws HeadgateError for what is not there or cannot be. */
interface FilesOfTool {
  add(
    owner: Owner,
    file: { readonly filename: string; readonly mimeType: string; readonly contents: Uint8Array },
  ): Promise<ToolFile>;
  read(owner: Owner, id: string): Promise<ToolFile & { readonly contents: Uint8Array }>;
  findByName(owner: Owner, filename: string): Promise<ToolFile>;
  list(
    owner: Owner,
    query: { readonly limit: number; readonly order: 'desc'; readonly name?: string },
  ): Promise<{ readonly files: readonly ToolFile[]; readonly hasMore: boolean }>;
}

/** Checked arguments of a call. */
interface FileOperation {
  readonly operation: 'list' | 'read' | 'write' | 'edit';
  readonly file_id?: string | null;
  readonly filename?: string | null;
  readonly filename_filter?: string | null;
  readonly content?: string | null;
  readonly old_string?: string | null;
  readonly new_string?: string | null;
  readonly new_filename?: string | null;
}

/** What came of it: what the model reads, and the file it is about. */
interface FileOutcome {
  readonly file?: ToolFile;
  readonly result: unknown;
}

const mostListed = 100;
const mostRead = 200_000;
const mostWritten = 1024 * 1024;

/** Does what a call asks. @throws HeadgateError when it cannot: the model reads the message. */
function operate(asked: FileOperation, owner: Owner, files: FilesOfTool): Promise<FileOutcome> {
  switch (asked.operation) {
    case 'list':
      return list(asked, owner, files);
    case 'read':
      return read(asked, owner, files);
    case 'write':
      return write(asked, owner, files);
    case 'edit':
      return edit(asked, owner, files);
  }
}

async function list({ filename_filter: name }: FileOperation, owner: Owner, files: FilesOfTool) {
  const page = await files.list(owner, { limit: mostListed, order: 'desc', ...(name && { name }) });
  return { result: { files: page.files.map(metadata), has_more: page.hasMore } };
}

async function read(asked: FileOperation, owner: Owner, files: FilesOfTool) {
  const { file, text } = await textFile(asked, owner, files);
  const isCut = text.length > mostRead;
  const content = isCut ? text.slice(0, mostRead).toWellFormed() : text;
  return { file, result: { ...metadata(file), content, ...(isCut && { truncated: true }) } };
}

async function write({ filename, content }: FileOperation, owner: Owner, files: FilesOfTool) {
  if (!filename) throw missing('filename');
  if (typeof content !== 'string') throw missing('content');
  const file = await store(filename, content, owner, files);
  return { file, result: metadata(file) };
}

async function edit(asked: FileOperation, owner: Owner, files: FilesOfTool) {
  const { old_string: old, new_string: fresh, new_filename: name } = asked;
  if (!old) throw missing('old_string');
  if (typeof fresh !== 'string') throw missing('new_string');
  const { file, text } = await textFile(asked, owner, files);
  const at = text.indexOf(old);
  if (at < 0) throw refused('old_string: does not occur in the file; read it and take the text from there');
  if (text.indexOf(old, at + 1) >= 0)
    throw refused('old_string: occurs more than once; take more of the text around it');
  const changed = text.slice(0, at) + fresh + text.slice(at + old.length);
  const copy = await store(name || file.filename, changed, owner, files);
  return { file: copy, result: { ...metadata(copy), source_file_id: file.id } };
}

async function textFile({ file_id: id, filename }: FileOperation, owner: Owner, files: FilesOfTool) {
  if (!id && !filename) throw missing('file_id');
  const file = await files.read(owner, id || (await files.findByName(owner, filename ?? '')).id);
  const text = decode(file.contents);
  if (text === undefined) throw refused(`"${file.filename}" is not a text file`);
  return { file, text };
}

function store(filename: string, content: string, owner: Owner, files: FilesOfTool): Promise<ToolFile> {
  const contents = Buffer.from(content.toWellFormed());
  if (contents.length > mostWritten)
    throw refused(`a file of text may have ${mostWritten} bytes, this one has ${contents.length}`);
  return files.add(owner, { filename, mimeType: typeOf(filename), contents });
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
};

function typeOf(filename: string): string {
  return types[filename.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/plain';
}

/** Undefined for what is no text. */
function decode(contents: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(contents);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function metadata({ id, filename, mimeType, size, createdAt }: ToolFile) {
  const created_at = new Date(createdAt).toISOString();
  return { file_id: id, filename, mime_type: mimeType, size_bytes: size, created_at };
}

function missing(member: string): HeadgateError {
  return refused(`${member}: is required`);
}

function refused(message: string): HeadgateError {
  return new HeadgateError('invalid_request', message);
}

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
