import { createChecker } from '../../../schema/checker.ts';
import { malformed } from '../../../schema/fault.ts';
import { choice, optional, Type, text } from '../../../util/json-schema.ts';
import type { ContentKind } from './content-kind.ts';
import { checkBase64, checkVideoUrl, webOrDataUrl } from './data-url.ts';

/** `input_audio`: sound in base64. */
const InputAudioSchema = Type.Object({
  type: choice('input_audio'),
  input_audio: Type.Object({ data: text({ minLength: 1 }), format: choice('mp3', 'wav') }),
});

/** `input_video`: moving pictures by address or data URL. */
const InputVideoSchema = Type.Object({
  type: choice('input_video'),
  video_url: text(webOrDataUrl),
  processing: optional(choice('agentic', 'static')),
});

const checkInputAudio = createChecker(InputAudioSchema);
const checkInputVideo = createChecker(InputVideoSchema);
const url = /^(https?:\/\/|data:)/i;

/** How `input_audio` is read. */
export const inputAudio: ContentKind = {
  schema: InputAudioSchema,
  read(part, path) {
    const { data, format } = checkInputAudio(part, path).input_audio;
    if (url.test(data)) throw malformed(`${path}.input_audio.data`, 'expected plain base64, got a URL');
    checkBase64(data, `${path}.input_audio.data`);
    return { kind: 'audio', data, format };
  },
};

/** How `input_video` is read. */
export const inputVideo: ContentKind = {
  schema: InputVideoSchema,
  read(part, path) {
    const checked = checkInputVideo(part, path);
    checkVideoUrl(checked.video_url, `${path}.video_url`);
    return { kind: 'video', url: checked.video_url, processing: checked.processing ?? undefined };
  },
};
