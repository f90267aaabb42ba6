/** The words of a command as the one line that a POSIX shell takes for the same words. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
