import type * as Wire from 'openai/resources/responses/responses';
import type { Annotation } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type {
  CacheControl,
  ContentPart,
  FilePart,
  ImagePart,
  MessageItem,
  TextPart,
} from '../../core/request.ts';
import { inlineFile } from '../inline-file.ts';

/** A content part of a message in this dialect. */
export type WirePart = Wire.ResponseInputContent | Wire.ResponseInputAudio | Wire.ResponseContent;

/** Whether to mark the ends of cacheable prefixes, which only newer models accept. */
export type MarksPrefixes = boolean;

/** Encodes the parts of a message: a model's text as output, everything else as input. */
export function encodeContent(message: MessageItem, marks: MarksPrefixes): WirePart[] {
  return message.content.map((part) => encodePart(part, message.role === 'assistant', marks));
}

/** Encodes a tool's output: a string where it is all text, else an array of parts. */
export function encodeToolOutput(
  output: readonly ContentPart[],
  marks: MarksPrefixes,
): string | Wire.ResponseInputContent[] {
  const texts = output.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const marked = marks && output.some((part) => 'cacheControl' in part && part.cacheControl !== undefined);
  if (texts.length === output.length && !marked) return texts.join('\n');
  return output.map((part) => encodeInputPart(part, marks));
}

function encodePart(part: ContentPart, fromModel: boolean, marks: MarksPrefixes): WirePart {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
  if (part.kind === 'audio') {
    return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
  }
  if (part.kind === 'text' && fromModel) return encodeOutputText(part);
  return encodeInputPart(part, marks);
}

function encodeOutputText({ text, annotations = [], logprobs }: TextPart): Wire.ResponseOutputText {
  const tokens = logprobs?.map(({ token, logprob, bytes, top_logprobs }) => ({
    token,
    logprob,
    bytes: [...bytes],
    top_logprobs: top_logprobs.map((other) => ({ ...other, bytes: [...other.bytes] })),
  }));
  return { type: 'output_text', text, annotations: annotations.map(encodeAnnotation), logprobs: tokens };
}

function encodeAnnotation(annotation: Annotation): Wire.ResponseOutputText['annotations'][number] {
  if (annotation.type === 'file_path') return annotation;
  if (annotation.type === 'file_citation') {
    const { type, file_id, filename, index } = annotation;
    return { type, file_id, filename, index };
  }
  const { type, url, title, start_index, end_index } = annotation;
  return { type, url, title, start_index, end_index };
}

function encodeInputPart(part: ContentPart, marks: MarksPrefixes): Wire.ResponseInputContent {
  switch (part.kind) {
    case 'text':
      return { type: 'input_text', text: part.text, ...breakpoint(part.cacheControl, marks) };
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { ...encodeImage(part), ...breakpoint(part.cacheControl, marks) };
    case 'file':
      return { ...encodeFile(part), ...breakpoint(part.cacheControl, marks) };
    default:
      throw new HeadgateError('upstream_invalid_request', `The provider takes no ${part.kind} input here.`);
  }
}

function breakpoint(
  control: CacheControl | undefined,
  marks: MarksPrefixes,
): Pick<Wire.ResponseInputText, 'prompt_cache_breakpoint'> {
  return marks && control !== undefined ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {};
}

function encodeImage(part: ImagePart): Wire.ResponseInputImage {
  return { type: 'input_image', image_url: part.url, file_id: part.fileId, detail: part.detail };
}

function encodeFile(part: FilePart): Wire.ResponseInputFile {
  const file = inlineFile(part);
  if (file === undefined) {
    return { type: 'input_file', file_url: part.url, file_id: part.fileId, filename: part.filename };
  }
  const ending = file.mediaType === 'application/pdf' ? 'pdf' : 'txt';
  return {
    type: 'input_file',
    file_data: `data:${file.mediaType};base64,${file.base64}`,
    // Files sent as bytes need a name.
    filename: part.filename ?? `document.${ending}`,
  };
}
