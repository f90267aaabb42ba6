/** The beginnings of pictures in base64. */
const beginnings = [
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
] as const;

/** The media type of a picture in base64, by its first characters; PNG if unknown. */
export function pictureType(base64: string): string {
  return beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? 'image/png';
}
