/** A value an engine can bind to a parameter. */
export type SqlValue = string | number | bigint | null;

/**
 * A statement whose values stand apart from its text, so that no value is ever read as SQL. `texts` are
 * the pieces around the values: one more than there are values.
 */
export class SqlStatement {
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(texts: readonly string[], values: readonly SqlValue[]) {
    this.texts = texts;
    this.values = values;
  }
}

/** Writes a statement: sql`select name from accounts where id = ${id}`. A part may be a statement itself. */
export function sql(
  texts: TemplateStringsArray,
  ...parts: readonly (SqlValue | SqlStatement)[]
): SqlStatement {
  // Untouched, the array of texts is the same one at every call, which is what its rendering is kept by.
  if (parts.every(isValue)) return new SqlStatement(texts, parts);
  const flat = [texts[0] ?? ''];
  const values: SqlValue[] = [];
  for (const [index, part] of parts.entries()) {
    const inner = isValue(part) ? new SqlStatement(['', ''], [part]) : part;
    flat.push(`${flat.pop()}${inner.texts[0]}`, ...inner.texts.slice(1));
    flat.push(`${flat.pop()}${texts[index + 1]}`);
    values.push(...inner.values);
  }
  return new SqlStatement(flat, values);
}

/** A statement from text of our own. Never give it anything that came from outside. */
export function rawSql(text: string): SqlStatement {
  return new SqlStatement([text], []);
}

/** Renders statements for an engine, each text once. `placeholder` spells the parameter of a number from 1. */
export function statementRenderer(placeholder: (number: number) => string) {
  const rendered = new WeakMap<readonly string[], string>();
  return ({ texts }: SqlStatement): string => {
    const known = rendered.get(texts);
    if (known !== undefined) return known;
    let text = texts[0] ?? '';
    for (let number = 1; number < texts.length; number += 1) text += placeholder(number) + texts[number];
    rendered.set(texts, text);
    return text;
  };
}

function isValue(part: SqlValue | SqlStatement): part is SqlValue {
  return !(part instanceof SqlStatement);
}
