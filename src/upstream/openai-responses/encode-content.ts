import type * as Wire from 'openai/resources/responses/responses';
import { HeadgateError } from '../../core/errors.ts';
import type { ContentPart, FilePart, ImagePart, MessageItem } from '../../core/request.ts';
import { inlineFile } from '../inline-file.ts';

/** A content part of a message in this dialect. */
export type WirePart = Wire.ResponseInputContent | Wire.ResponseInputAudio | Wire.ResponseContent;

/** The parts of a message: what a model said is written as output, everything else as input. */
export function encodeContent(message: MessageItem): WirePart[] {
  return message.content.map((part) => encodePart(part, message.role === 'assistant'));
}

/** What a tool answered: one text where there is nothing but text, else a list of parts. */
export function encodeToolOutput(output: readonly ContentPart[]): string | Wire.ResponseInputContent[] {
  const texts = output.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  if (texts.length === output.length) return texts.join('\n');
  return output.map(encodeInputPart);
}

function encodePart(part: ContentPart, spokenByModel: boolean): WirePart {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
  if (part.kind === 'audio') {
    return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
  }
  // Citations are not handed back: they point into results that only their issuer knows.
  if (part.kind === 'text' && spokenByModel) return { type: 'output_text', text: part.text, annotations: [] };
  return encodeInputPart(part);
}

function encodeInputPart(part: ContentPart): Wire.ResponseInputContent {
  switch (part.kind) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'refusal':
      return { type: 'input_text', text: part.text };
    case 'image':
      return encodeImage(part);
    case 'file':
      return encodeFile(part);
    default:
      throw new HeadgateError('upstream_invalid_request', `The provider takes no ${part.kind} input here.`);
  }
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
    // Files sent as bytes are refused without a name.
    filename: part.filename ?? `document.${ending}`,
  };
}
