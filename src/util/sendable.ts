const unsendable = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Whether an HTTP header can carry a text: no line ends, no other control characters except tabs, and no characters
 * beyond the first 256.
 */
export function isSendable(text: string): boolean {
  return !unsendable.test(text);
}
