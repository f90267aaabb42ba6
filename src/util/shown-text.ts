const longest = 80;

/** Shortens a client's text for an error message. */
export function shownText(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
