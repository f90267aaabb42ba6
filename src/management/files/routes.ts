import { HeadgateError } from '../../core/errors.ts';
import { apiBase } from '../../edge/route.ts';
import { attachmentHeader, servedMediaType } from '../../files/file-name.ts';
import type { StoredFiles } from '../../files/stored-files.ts';
import { readFormFile } from '../../http/read-form.ts';
import type { StoredFile } from '../../ports/files.ts';
import { malformed } from '../../schema/fault.ts';
import { createQueryReader } from '../../schema/read-query.ts';
import type { Caller } from '../../settlement/caller.ts';
import {
  flag,
  integer,
  list,
  marked,
  named,
  nullOr,
  optional,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { jsonRow, plainRow, type Row } from '../row.ts';

/** A file, as the routes of `/files` show it. */
const File = named(
  'File',
  Type.Object({
    _shape: word(['service']),
    id: text({ description: 'What requests name the file by' }),
    type: word(['file']),
    filename: text(),
    mime_type: text(),
    size_bytes: integer(),
    created_at: text({ format: 'date-time' }),
    downloadable: flag(),
    // As clients of another dialect know a file; the time stays text, which the service's own need.
    object: word(['file']),
    bytes: integer(),
    purpose: word(['user_data']),
    status: word(['processed']),
  }),
);

/** The answer to a deletion. */
const DeletedFile = named(
  'DeletedFile',
  Type.Object({
    _shape: word(['service']),
    id: text(),
    type: word(['file_deleted']),
    object: word(['file']),
    deleted: flag(),
  }),
);

/** A page of files. */
const FileList = named(
  'FileList',
  Type.Object({
    _shape: word(['service']),
    object: word(['list']),
    data: list(File),
    has_more: flag(),
    first_id: nullOr(text()),
    last_id: nullOr(text()),
    cursor: nullOr(text({ description: 'The value of `cursor` for the next page' })),
  }),
);

/** The form of an upload. */
const FileForm = named(
  'FileForm',
  Type.Object({ file: text({ format: 'binary', description: 'The file, with a filename' }) }),
);

const workspace_id = optional(text({ description: 'The workspace of the key; another one is refused' }));
const provider = optional(text({ description: 'Files at providers are not managed here: leave it out' }));

/** What every route of files takes. */
const FilePlace = Type.Object({ workspace_id, provider });

/** What the list takes. */
const FileListQuery = Type.Object({
  limit: integer({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: optional(text()),
  after: optional(text({ description: 'The page begins behind this file' })),
  after_id: optional(text({ description: 'The same' })),
  before_id: optional(text({ description: 'The page ends before this file' })),
  order: word(['asc', 'desc'], { default: 'desc', description: 'By time' }),
  workspace_id,
  provider,
});

const path = `${apiBase}/files`;
const inference = { access: 'inference', needs: 'inference', reachesDatabase: true } as const;
const readPlace = createQueryReader(FilePlace);

interface Place {
  readonly workspace_id?: string | null;
  readonly provider?: string | null;
}

/** Files of the key's workspace, by which requests can name them (docs/spec/files.md). */
export const fileRows: readonly Row[] = [
  jsonRow({
    ...inference,
    method: 'POST',
    path,
    rate: 'files',
    id: 'uploadFile',
    summary: 'Store a file that requests can name',
    query: FilePlace,
    body: marked(FileForm, { handled: true }),
    takesForm: true,
    answer: File,
    failures: ['payload_too_large'],
    handle: async ({ caller, query, body, headers }, services) => {
      const { files, owner } = place(caller, query, services);
      if (!(body instanceof Uint8Array)) throw new HeadgateError('server');
      const { filename, type, bytes } = readFormFile(body, headers['content-type'], 'file');
      return show(await files.add(owner, { filename, mimeType: type, contents: bytes }));
    },
  }),
  jsonRow({
    ...inference,
    method: 'GET',
    path,
    id: 'listFiles',
    summary: 'The files of the workspace, the newest first',
    query: FileListQuery,
    answer: FileList,
    handle: async ({ caller, query }, services) => {
      const { files, owner } = place(caller, query, services);
      const { limit, order, cursor, after, after_id, before_id } = query;
      const from = after ?? after_id ?? cursor ?? undefined;
      const page = await files.list(owner, {
        limit,
        order,
        ...(from !== undefined && { after: from }),
        ...(from === undefined && before_id && { before: before_id }),
      });
      const data = page.files.map(show);
      const last_id = data.at(-1)?.id ?? null;
      return {
        _shape: 'service' as const,
        object: 'list' as const,
        data,
        has_more: page.hasMore,
        first_id: data[0]?.id ?? null,
        last_id,
        cursor: page.hasMore ? last_id : null,
      };
    },
  }),
  jsonRow({
    ...inference,
    method: 'GET',
    path: `${path}/{file_id}`,
    id: 'getFile',
    summary: 'One file, without its contents',
    query: FilePlace,
    answer: File,
    failures: ['not_found'],
    handle: async ({ caller, query, params: { file_id: id = '' } }, services) => {
      const { files, owner } = place(caller, query, services);
      return show(await files.find(owner, id));
    },
  }),
  plainRow(
    {
      ...inference,
      method: 'GET',
      path: `${path}/{file_id}/content`,
      id: 'downloadFile',
      summary: 'The contents of a file',
      query: FilePlace,
      answer: text({ format: 'binary' }),
      mediaType: 'application/octet-stream',
      failures: ['not_found'],
    },
    async ({ caller, query, params: { file_id: id = '' } }, services) => {
      const { files, owner } = place(caller, readPlace(query), services);
      const { contents, mimeType, filename } = await files.read(owner, id);
      return { bytes: contents, type: servedMediaType(mimeType), headers: contentHeaders(filename) };
    },
  ),
  jsonRow({
    ...inference,
    method: 'DELETE',
    path: `${path}/{file_id}`,
    rate: 'files',
    id: 'deleteFile',
    summary: 'Delete a file',
    query: FilePlace,
    answer: DeletedFile,
    failures: ['not_found'],
    handle: async ({ caller, query, params: { file_id: id = '' } }, services) => {
      const { files, owner } = place(caller, query, services);
      await files.remove(owner, id);
      return {
        _shape: 'service' as const,
        id,
        type: 'file_deleted' as const,
        object: 'file' as const,
        deleted: true,
      };
    },
  }),
];

/** Nothing of a file may run as a page of the gateway, whatever a browser makes of it. */
function contentHeaders(filename: string): Readonly<Record<string, string>> {
  return {
    'content-disposition': attachmentHeader(filename),
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, no-store',
    'cross-origin-resource-policy': 'same-origin',
  };
}

/**
 * The files a key reaches.
 * @throws HeadgateError `not_found` where files are off, `permission_denied` for another workspace, `invalid_request`.
 */
function place(
  { account, key }: Caller,
  { workspace_id: workspace, provider }: Place,
  { files, config }: Pick<InterfaceServices, 'files' | 'config'>,
): { readonly files: StoredFiles; readonly owner: { accountId: string; workspaceId: string | null } } {
  if (!config.tools.files.enabled) {
    throw new HeadgateError('not_found', 'Files are off on this server, see tools.files.enabled.');
  }
  if (provider) throw malformed('provider', 'files at providers are not managed here; leave it out');
  if (workspace && workspace !== key.workspaceId) {
    throw new HeadgateError(
      'permission_denied',
      'workspace_id: a key reaches the files of its own workspace only',
    );
  }
  return { files, owner: { accountId: account.id, workspaceId: key.workspaceId } };
}

function show({ id, filename, mimeType, size, createdAt }: StoredFile) {
  return {
    _shape: 'service' as const,
    id,
    type: 'file' as const,
    filename,
    mime_type: mimeType,
    size_bytes: size,
    created_at: new Date(createdAt).toISOString(),
    downloadable: true,
    object: 'file' as const,
    bytes: size,
    purpose: 'user_data' as const,
    status: 'processed' as const,
  };
}
