const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Whether a header of HTTP can carry a text: it has no line ends, no other control characters but tabs, and no letters
 * beyond the first 256.
 */
export function isSendable(text: string): boolean {
  return !unsendable.test(text);
}
