import { textOf } from '../lenient.ts';
import type { AnswerPart } from './run.ts';

/** The picture in a part, in base64; undefined without one. */
export function readPicture({ inlineData }: AnswerPart): { mimeType: string; data: string } | undefined {
  const mimeType = textOf(inlineData?.mimeType);
  const data = textOf(inlineData?.data);
  return mimeType?.startsWith('image/') && data !== undefined ? { mimeType, data } : undefined;
}
