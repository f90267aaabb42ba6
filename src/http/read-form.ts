import { HeadgateError } from '../core/errors.ts';

/** A part of a form that is a file. The bytes are a view of the body. */
export interface FormFile {
  readonly filename: string;
  /** As the client states it. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

const mostParts = 20;
const longestHead = 8192;
const lineEnd = Buffer.from('\r\n\r\n');

/**
 * Finds the file of a form (`multipart/form-data`, RFC 7578) without copying it; other fields are passed over.
 * @param field The name of the field.
 * @throws HeadgateError `invalid_request` when the body is no such form, or the field is not there once with a file.
 */
export function readFormFile(body: Uint8Array, contentType: string | undefined, field: string): FormFile {
  const boundary = boundaryOf(contentType);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const files: FormFile[] = [];
  for (const part of partsOf(bytes, boundary)) {
    const file = fileOf(part, field);
    if (file !== undefined) files.push(file);
  }
  const [file, ...others] = files;
  if (file === undefined) throw malformed(`the field "${field}" with a file is missing`);
  if (others.length > 0)
    throw malformed(`the field "${field}" is there ${files.length} times; send one file`);
  return file;
}

function boundaryOf(contentType = ''): string {
  const isForm = /^multipart\/form-data\s*;/i.test(contentType);
  const found = /;\s*boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2];
  if (isForm && boundary !== undefined) return boundary;
  throw malformed('send a form: content-type multipart/form-data with a boundary');
}

/** The parts between boundaries, heads included. */
function* partsOf(bytes: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The first one may stand at the very beginning.
  let at = bytes.indexOf(delimiter.subarray(2));
  if (at > 0) at = bytes.indexOf(delimiter) + 2;
  if (at < 0 || (at > 1 && !bytes.subarray(at - 2, at).equals(delimiter.subarray(0, 2)))) {
    throw malformed('the boundary of the form is not in the body');
  }
  let start = at + delimiter.length - 2;
  for (let count = 0; ; count += 1) {
    if (bytes.subarray(start, start + 2).toString('latin1') === '--') return;
    if (count >= mostParts) throw malformed(`the form has more than ${mostParts} fields`);
    const end = bytes.indexOf(delimiter, start);
    if (end < 0) throw malformed('the form ends in the middle of a field');
    const begin = bytes.indexOf('\r\n', start) + 2;
    yield bytes.subarray(begin, end);
    start = end + delimiter.length;
  }
}

/** A part that is a file of the field; undefined for others. */
function fileOf(part: Buffer, field: string): FormFile | undefined {
  const headEnd = part.subarray(0, longestHead).indexOf(lineEnd);
  if (headEnd < 0) throw malformed('a field of the form has no head, or one that is too long');
  const head = part.toString('utf8', 0, headEnd);
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1] ?? '';
  if (parameterOf(disposition, 'name') !== field) return undefined;
  const filename = extendedName(disposition) ?? parameterOf(disposition, 'filename');
  if (filename === undefined) throw malformed(`the field "${field}" is no file: it has no filename`);
  const type = /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim() ?? '';
  return { filename, type, bytes: part.subarray(headEnd + lineEnd.length) };
}

function parameterOf(disposition: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|;)\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(
    disposition,
  );
  // Browsers write quotes and line ends in names as percent codes, other clients with backslashes.
  const quoted = found?.[1]?.replace(/\\(["\\])/g, '$1').replace(/%22/g, '"');
  return quoted ?? found?.[2];
}

function extendedName(disposition: string): string | undefined {
  const encoded = /filename\*=utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw malformed('filename* is not percent-encoded UTF-8');
  }
}

function malformed(problem: string): HeadgateError {
  return new HeadgateError('invalid_request', `body: ${problem}`);
}
