import { HeadgateError } from '../../core/errors.ts';

/** A picture that a model made: its contents, or the address that its provider gives. */
export interface Picture {
  /** Undefined where there is only an address. */
  readonly base64?: string;
  readonly mimeType: string;
  readonly url?: string;
}

/** The beginnings of pictures. */
const beginnings: readonly (readonly [beginning: string, type: string])[] = [
  ['\x89PNG\r\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
];
const webp = /^RIFF.{4}WEBP/s;

/**
 * Reads what a provider gave as a picture: base64, a data URL or an address.
 * @throws HeadgateError `provider_failed` when it is no picture.
 */
export function readPicture(given: string | undefined): Picture {
  if (given === undefined) throw failed('The model made no picture.');
  if (/^https?:\/\//i.test(given)) return { url: given, mimeType: 'image/png' };
  const base64 = given.replace(/^data:[^,]*,/i, '');
  const start = Buffer.from(base64.slice(0, 16), 'base64').toString('latin1');
  const known = beginnings.find(([beginning]) => start.startsWith(beginning))?.[1];
  const mimeType = known ?? (webp.test(start) ? 'image/webp' : undefined);
  if (mimeType === undefined) throw failed('What the model made cannot be read as a picture.');
  return { base64, mimeType };
}

function failed(message: string): HeadgateError {
  return new HeadgateError('provider_failed', message);
}
