import { flag, integer, list, named, nullOr, optional, Type, text, word } from '../../util/json-schema.ts';

/** A file, as the routes of `/files` show it. */
export const File = named(
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
export const DeletedFile = named(
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
export const FileList = named(
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
export const FileForm = named(
  'FileForm',
  Type.Object({ file: text({ format: 'binary', description: 'The file, with a filename' }) }),
);

const workspace_id = optional(text({ description: 'The workspace of the key; another one is refused' }));
const provider = optional(text({ description: 'Files at providers are not managed here: leave it out' }));

/** What every route of files takes. */
export const FilePlace = Type.Object({ workspace_id, provider });

/** What the list takes. */
export const FileListQuery = Type.Object({
  limit: integer({ minimum: 1, maximum: 1000, default: 100 }),
  cursor: optional(text()),
  after: optional(text({ description: 'The page begins behind this file' })),
  after_id: optional(text({ description: 'The same' })),
  before_id: optional(text({ description: 'The page ends before this file' })),
  order: word(['asc', 'desc'], { default: 'desc', description: 'By time' }),
  workspace_id,
  provider,
});
