/** The width and height of a picture in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** How many characters of base64 are looked at: the size stands near the beginning. */
const looked = 64 * 1024;

/** The size of a picture in a data URL, by its own header; undefined for addresses and formats not known here. */
export function pictureSize(url: string): PictureSize | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const start = url.indexOf(',') + 1;
  const bytes = Buffer.from(url.slice(start, start + looked), 'base64');
  return sizeOfPng(bytes) ?? sizeOfGif(bytes) ?? sizeOfJpeg(bytes);
}

function sizeOfPng(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function sizeOfGif(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'GIF') return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function sizeOfJpeg(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
