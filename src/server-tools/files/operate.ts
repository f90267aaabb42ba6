import { HeadgateError } from '../../core/errors.ts';
import type { ToolContext } from '../server-tool.ts';

type Owner = Pick<ToolContext, 'accountId' | 'workspaceId'>;

/** A file as the tool sees it. Times are Unix milliseconds. */
export interface ToolFile {
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly size: number;
  readonly createdAt: number;
}

/** The files of a workspace. Every call throws HeadgateError for what is not there or cannot be. */
export interface FilesOfTool {
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
export interface FileOperation {
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
export interface FileOutcome {
  readonly file?: ToolFile;
  readonly result: unknown;
}

const mostListed = 100;
const mostRead = 200_000;
const mostWritten = 1024 * 1024;

/** Does what a call asks. @throws HeadgateError when it cannot: the model reads the message. */
export function operate(asked: FileOperation, owner: Owner, files: FilesOfTool): Promise<FileOutcome> {
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
