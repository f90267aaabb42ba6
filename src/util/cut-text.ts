/** The most of a text that is stored where a client chooses it and nothing depends on the rest. */
export const longestStored = 512;

/** The beginning of a text, of whole characters: half of one cannot be stored everywhere. */
export function cutText(text: string, most = longestStored): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
