const bytesPerToken = 4;
/** About what a picture, a page or a minute of sound costs. */
const tokensOfMedia = 1000;
/** Texts of this length without a blank are media in base64. */
const longestWord = 2048;

/** A rough count of tokens of anything that goes into a request, from its bytes. */
export function estimateTokens(value: unknown): number {
  if (typeof value === 'string') return tokensOf(value);
  if (typeof value !== 'object' || value === null) return 1;
  let tokens = 0;
  for (const member of Object.values(value)) tokens += member === undefined ? 0 : estimateTokens(member);
  return tokens;
}

function tokensOf(text: string): number {
  const isMedia = text.length > longestWord && !/\s/.test(text.slice(0, longestWord));
  return isMedia ? tokensOfMedia : Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}
