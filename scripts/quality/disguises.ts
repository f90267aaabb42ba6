/** Ways to write an attack so that a plain search does not see it. */
export const disguises: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'full-width letters': (text) =>
    text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  'invisible characters': (text) => text.replace(/(?<=\p{L})(?=\p{L})/gu, '\u200b'),
  'odd whitespace': (text) => text.replaceAll(' ', '\u00a0\n\t'),
  'spaced letters': (text) =>
    text
      .split(/\s+/)
      .map((word) => [...word].join(' '))
      .join('  '),
  'scrambled words': (text) =>
    text.replace(/\p{L}{5,}/gu, (word) => {
      const inner = word.slice(1, -1);
      return word.charAt(0) + inner.slice(1) + inner.charAt(0) + word.slice(-1);
    }),
  Base64: (text) => Buffer.from(text).toString('base64'),
  'hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'pairs of hexadecimal digits': (text) => Buffer.from(text).toString('hex').replace(/../g, '$& ').trim(),
};
