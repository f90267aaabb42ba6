/** The address of a link as it may be opened: only of the web or of mail; undefined for any other. */
export function openableAddress(address: string): string | undefined {
  const isKnown = /^(https?:\/\/|mailto:)/i.test(address.trim());
  return isKnown && URL.canParse(address) ? new URL(address).href : undefined;
}

/** Where a link leads, short: its host, or the address of a mailbox. */
export function targetOf(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return protocol === 'mailto:' ? pathname : host;
}

/** Kinds of pictures that are shown; none of them can hold a script. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

const data = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=]+$/;
const beginnings = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
] as const;

/** A picture that is whole within a text, as an address to show: a data URL or base64; undefined for any other. */
export function pictureData(text: string): string | undefined {
  if (data.test(text)) return text;
  const type = beginnings.find(([beginning]) => text.startsWith(beginning))?.[1];
  const address = `data:${type};base64,${text}`;
  return type !== undefined && data.test(address) ? address : undefined;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Text of Markdown with its character references resolved: the usual names and all numbers. */
export function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
