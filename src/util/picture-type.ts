/** The beginnings of pictures in base64. */
const beginnings = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
] as const;

/** The media type of a picture in base64, by its first characters; PNG if unknown. */
export function pictureType(base64: string): string {
  return knownPictureType(base64) ?? 'image/png';
}

/** The same; undefined where it begins like no picture that models read. */
export function knownPictureType(base64: string): string | undefined {
  return beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1];
}
