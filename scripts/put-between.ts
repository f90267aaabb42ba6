/** Replaces what a document has between its marks `<!-- name -->` and `<!-- /name -->`. */
export function putBetween(document: string, name: string, text: string): string {
  const begin = `<!-- ${name} -->\n`;
  const end = `\n<!-- /${name} -->`;
  const from = document.indexOf(begin);
  const until = document.indexOf(end);
  if (from === -1 || until < from) throw new Error(`The document has no marks for "${name}".`);
  return document.slice(0, from + begin.length) + text + document.slice(until);
}
