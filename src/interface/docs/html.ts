/** Text that is HTML already and is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand between pieces of HTML; lists are joined, what is undefined is left out. */
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML as written, with every value escaped that is not HTML itself: right in text and in quoted attributes. */
export function html(pieces: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = pieces.map((piece, at) => (at === 0 ? piece : toText(values[at - 1]) + piece));
  return new Html(parts.join(''));
}

/** Values with something between each two. */
export function joined(values: readonly HtmlValue[], between: HtmlValue): Html {
  return new Html(values.map(toText).join(toText(between)));
}

/** A sentence with its words between backticks as code. */
export function prose(text: string): Html {
  const parts = text.split('`');
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function toText(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') {
    return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? character);
  }
  return value.map(toText).join('');
}
