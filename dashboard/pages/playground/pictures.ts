import { signal } from '@preact/signals';
import { bytes } from '../../text/format.ts';
import { pictureTypes } from '../../text/markup.ts';

/** A picture that goes with the prompt. */
export interface AttachedPicture {
  readonly name: string;
  readonly size: number;
  /** A data URL. */
  readonly data: string;
}

/** Bytes of all pictures of a prompt: as base64 they fit the largest body that servers take by default. */
export const mostBytes = 20_000_000;
const mostPictures = 16;

/** Kept while the page lives, but not stored: they are too large for that. */
export const pictures = signal<readonly AttachedPicture[]>([]);

/** Attaches files. Returns what is wrong with those that are left out. */
export async function attach(files: readonly File[]): Promise<string | undefined> {
  for (const file of files) {
    const fault = faultOf(file);
    if (fault !== undefined) return fault;
    const data = await dataOf(file);
    // Others may have come while this one was read.
    const late = faultOf(file);
    if (late !== undefined) return late;
    pictures.value = [...pictures.value, { name: file.name || 'picture', size: file.size, data }];
  }
  return undefined;
}

export function detach(index: number): void {
  pictures.value = pictures.value.filter((_, at) => at !== index);
}

function faultOf({ name, type, size }: File): string | undefined {
  const taken = pictures.value.reduce((sum, one) => sum + one.size, 0);
  if (!pictureTypes.some((one) => one === type))
    return `${name || 'This'} is no picture that models read: PNG, JPEG, WebP and GIF are.`;
  if (pictures.value.length >= mostPictures) return `A prompt takes ${mostPictures} pictures at most.`;
  if (taken + size > mostBytes)
    return `${name || 'This'} is too large: all pictures of a prompt may have ${bytes(mostBytes)}.`;
  return undefined;
}

function dataOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
    reader.readAsDataURL(file);
  });
}

/** Characters of a picture that its size can be read from. */
const head = 65_536;

/** A body for a plan: of large pictures only the beginning, because their size counts and not what they show. */
export function withShortPictures<Value>(value: Value): Value {
  return mapPictures(value, (data) => (data.length > head ? data.slice(0, head) : data));
}

/** A body as it is shown, with the bytes of pictures left out. */
export function withoutPictureBytes<Value>(value: Value): Value {
  return mapPictures(value, (data) => {
    const [beginning = '', base64 = ''] = data.split(',');
    return base64.length < 200
      ? data
      : `${beginning},${base64.slice(0, 24)}… (${bytes(Math.round(base64.length * 0.75))})`;
  });
}

function mapPictures<Value>(value: Value, change: (data: string) => string): Value {
  const map = (one: unknown): unknown => {
    if (typeof one === 'string') return one.startsWith('data:image/') ? change(one) : one;
    if (Array.isArray(one)) return one.map(map);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, map(inner)]));
  };
  return map(value) as Value;
}
