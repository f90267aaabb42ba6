import { textOf } from '../lenient.ts';
import type { AnswerPart } from './run.ts';

/** The picture a part holds, in base64; undefined when it holds none. */
export function readPicture({ inlineData }: AnswerPart): { mimeType: string; data: string } | undefined {
  const mimeType = textOf(inlineData?.mimeType);
  const data = textOf(inlineData?.data);
  return mimeType?.startsWith('image/') && data !== undefined ? { mimeType, data } : undefined;
}
