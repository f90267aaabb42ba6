/** A member that holds media, and what its own words say of them. */
export interface Medium {
  readonly kind: 'image' | 'audio' | 'video' | 'file';
  readonly filename?: string | undefined;
}

/** Gets a text, and whether it must stay as it is; returns what to replace it by. */
export type VisitMediaText = (text: string, isFixed: boolean) => string;

// How the bytes of each kind begin, in hexadecimal digits.

// PNG, JPEG, GIF, WebP, TIFF, and boxes of AVIF and HEIF.
const images =
  /^(?:89504e470d0a1a0a|ffd8ff|47494638(?:37|39)61|52494646.{8}57454250|49492a00|4d4d002a|00.{6}66747970(?:617669|686569|686576|6d6966|6d7366))/;
// MP3 with and without ID3, AAC, WAV, Ogg, FLAC, boxes of MP4, WebM.
const sounds =
  /^(?:4944330[234]00|ff(?:e[23]|f[1239ab])|52494646.{8}57415645|4f67675300|664c614300|00.{6}66747970|1a45dfa3)/;
// Boxes of MP4 and MOV, WebM, MPEG, Ogg, AVI, FLV.
const films =
  /^(?:[01][0-9a-f].{6}(?:66747970|6d6f6f76|6d646174|77696465|66726565|736b6970)|1a45dfa3|000001b[3a]|4f67675300|52494646.{8}41564920|464c5601)/;
// PDF, ZIP (offices use it too), older files of offices, gzip.
const documents = /^(?:(?:efbbbf)?(?:0[9acd]|20){0,64}255044462d|504b0304|d0cf11e0a1b11ae1|1f8b08)/;

const signatures: Readonly<Record<Medium['kind'], readonly RegExp[]>> = {
  image: [images],
  audio: [sounds],
  video: [films],
  file: [documents, images, sounds, films],
};
/** Letters of Base64 that hold more bytes than any signature. */
const headLength = 128;

const textType = /^text\/|[/+](?:json|xml|ya?ml|csv|html|javascript|typescript|rtf|x-sh|x-ndjson|sql)\b/i;
const textName =
  /\.(?:txt|text|md|markdown|rst|csv|tsv|jsonl?|ndjson|xml|svg|html?|css|ya?ml|toml|ini|conf|env|log|rtf|eml|vcf|ics|tex|sql|sh|[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|c|cc|cpp|h|hpp|cs|diff|patch)$/i;
const outsideBase64 = /[^A-Za-z0-9+/_\-=\s]/;
const fetched = /^https?:\/\//i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no text has them.
const binary = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** Whether a member is an address that a provider or the gateway fetches. */
export function isFetched(value: string): boolean {
  return fetched.test(value);
}

/**
 * Calls back for what is text in a member that holds media: bytes that have the signature of their kind are none, all
 * others are decoded. A media type is a text that stays as it is. @returns the member with the replacements.
 */
export function rewriteMedia(value: string, medium: Medium, visit: VisitMediaText): string {
  if (isFetched(value)) return value;
  const comma = /^data:/i.test(value) ? value.indexOf(',') : -1;
  const head = value.slice(0, comma + 1);
  if (comma === -1) return rewriteBase64(value, medium, undefined, visit);
  const type = head.slice('data:'.length, -1);
  visit(type, true);
  const body = value.slice(comma + 1);
  if (/;\s*base64\s*(?:;|$)/i.test(type)) return head + rewriteBase64(body, medium, type, visit);
  const text = unescaped(body);
  const replaced = visit(text, false);
  return replaced === text ? value : head + encodeURIComponent(replaced);
}

function rewriteBase64(
  base64: string,
  { kind, filename = '' }: Medium,
  type: string | undefined,
  visit: VisitMediaText,
): string {
  if (outsideBase64.test(base64)) {
    visit(base64, true);
    return base64;
  }
  const isMarked = isMedia(base64, kind);
  const isText = (type !== undefined && textType.test(type)) || textName.test(filename);
  if (isMarked && !isText) return base64;
  const bytes = Buffer.from(base64, 'base64');
  const coding = codingOf(bytes);
  const text = new TextDecoder(coding).decode(bytes);
  if (text.includes('\ufffd') || binary.test(text)) {
    // A document that is not what its name says, or bytes of no known kind.
    if (!isMarked) visit(text, true);
    return base64;
  }
  const replaced = visit(text, false);
  if (replaced === text) return base64;
  // In UTF-8, whatever it was.
  return Buffer.from(replaced, 'utf8').toString('base64');
}

/** Whether Base64 begins with the signature of a kind. */
export function isMedia(base64: string, kind: Medium['kind']): boolean {
  const head = Buffer.from(base64.slice(0, headLength), 'base64').toString('hex');
  return signatures[kind].some((signature) => signature.test(head));
}

function codingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
