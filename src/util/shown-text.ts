const longest = 80;

/** What a client wrote, as an error quotes it: cut off where it is long. */
export function shownText(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
