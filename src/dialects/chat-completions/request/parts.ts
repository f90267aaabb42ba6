import type { ContentPart } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { malformed, nameOf } from '../../../schema/fault.ts';
import { asObject } from '../../../schema/kind-table.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { anyOf, choice, list, named, optional, type TSchema, Type, text } from '../../../util/json-schema.ts';
import { cacheMembers, markLast, readCacheControl } from '../../gateway/common-settings.ts';
import { outputText, refusal } from '../../gateway/content/assistant.ts';
import type { ContentKind } from '../../gateway/content/content-kind.ts';
import { type ContentTable, readContent } from '../../gateway/content/content-parts.ts';
import { inputFile } from '../../gateway/content/file.ts';
import { inputImage } from '../../gateway/content/image.ts';
import { inputAudio, inputVideo } from '../../gateway/content/media.ts';
import { inputText } from '../../gateway/content/text.ts';

const TextSchema = Type.Object({ type: choice('text'), text: text(), ...cacheMembers });

/** `text`: something said. */
const textKind: ContentKind = {
  schema: TextSchema,
  read: (part, path, rules) => inputText.read({ ...asObject(part, path), type: 'input_text' }, path, rules),
};

const ImageUrlSchema = Type.Object({
  type: choice('image_url'),
  image_url: Type.Object({
    url: text(),
    detail: optional(choice('auto', 'low', 'high', 'original')),
  }),
  ...cacheMembers,
});

/** `image_url`: a picture by address or data URL; some clients write the address without an object. */
const imageKind: ContentKind = {
  schema: ImageUrlSchema,
  read(part, path, rules) {
    const { image_url: image, ...others } = asObject(part, path);
    const { url, detail } = isObject(image) ? image : { url: image, detail: undefined };
    if (url === undefined || url === null)
      throw malformed(`${path}.image_url.url`, 'is required, expected a string');
    return inputImage.read({ ...others, type: 'input_image', image_url: url, detail }, path, rules);
  },
};

const VideoUrlSchema = Type.Object({
  type: choice('video_url'),
  video_url: Type.Object({ url: text() }),
});

/** `video_url`, and `input_video` of older clients. */
const videoKind: ContentKind = {
  schema: VideoUrlSchema,
  read(part, path, rules) {
    const { video_url: video } = asObject(part, path);
    const url = isObject(video) ? video.url : video;
    return inputVideo.read({ type: 'input_video', video_url: url }, path, rules);
  },
};

const FileSchema = Type.Object({
  type: choice('file'),
  file: Type.Object({
    file_data: optional(text()),
    file_id: optional(text()),
    filename: optional(text()),
  }),
  ...cacheMembers,
});

/** `file`: a document; `file_data` is a data URL, base64 or a web address. */
const fileKind: ContentKind = {
  schema: FileSchema,
  read(part, path, rules) {
    const { file, ...others } = asObject(part, path);
    const { file_data: data, ...named } = asObject(file, `${path}.file`);
    const isAddress = typeof data === 'string' && /^https?:\/\//i.test(data);
    const source = isAddress ? { file_url: data } : { file_data: data };
    return inputFile.read({ ...others, ...named, ...source, type: 'input_file' }, `${path}.file`, rules);
  },
};

const inputRows: readonly (readonly [string, ContentKind])[] = [
  ['text', textKind],
  ['image_url', imageKind],
  ['input_audio', inputAudio],
  ['video_url', videoKind],
  ['file', fileKind],
  // Parts as `/responses` has them: some clients mix the two.
  ['input_text', inputText],
  ['input_image', inputImage],
  ['input_file', inputFile],
  ['input_video', videoKind],
];

/** What messages to the model and outputs of tools hold (docs/spec/chat.md#messages). */
export const chatParts: ContentTable = { key: 'type', rows: new Map(inputRows) };

/** What messages of the model hold. */
export const assistantChatParts: ContentTable = {
  key: 'type',
  rows: new Map([...inputRows, ['output_text', outputText], ['refusal', refusal]]),
};

/** The public schema of content: a string, or parts. */
export const ChatContentSchema: TSchema = named(
  'ChatContent',
  anyOf(text(), list(anyOf(TextSchema, ImageUrlSchema, inputAudio.schema, VideoUrlSchema, FileSchema))),
);

const checkCache = createChecker(Type.Object({ cache_control: cacheMembers.cache_control }));

/**
 * Reads the content of a message. `cache_control` of the message marks its last part.
 * @throws HeadgateError `invalid_request`.
 */
export function readChatContent(
  message: JsonObject,
  path: string,
  table: ContentTable,
  rules: Parameters<ContentKind['read']>[2],
): readonly ContentPart[] {
  const { content, cache_control: marked } = message;
  if (content !== null && typeof content !== 'string' && !Array.isArray(content)) {
    throw malformed(`${path}.content`, `expected a string or an array of parts, got ${nameOf(content)}`);
  }
  const parts = content === null ? [] : readContent(content, `${path}.content`, table, rules);
  if (!marked || rules.explicit !== undefined) return parts;
  return markLast(parts, readCacheControl(checkCache({ cache_control: marked }, path).cache_control));
}
