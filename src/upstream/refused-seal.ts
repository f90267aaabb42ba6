const phrases = [
  /encrypted content .{0,200}could not be (verified|decrypted)/is,
  /invalid `?signature`? in `?thinking`? block/i,
  /(invalid|corrupted) thought[ _]?signature|thought[ _]?signature is not valid/i,
];

/**
 * Whether a provider's message or error code says that it cannot read returned sealed reasoning, because another
 * account or host made it. Most providers have no code for this.
 */
export function reportsRefusedSeal(words: string): boolean {
  return words === 'invalid_encrypted_content' || phrases.some((phrase) => phrase.test(words));
}
