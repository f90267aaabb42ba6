import type { TSchema } from '../../util/json-schema.ts';
import { type Html, type HtmlValue, html, joined } from './html.ts';
import { hasMembers, limitsOf, refName, typesOf } from './schema-facts.ts';

/** A link to the section of a named schema; `reference` is what the document calls it by. */
export function schemaLink(ref: string): Html {
  const [name = '', ...within] = refName(ref).split('/');
  const member = within.filter((part) => part !== 'properties').map((part) => `.${part}`);
  return html`<a href="#schema-${name}"><code>${name}${member}</code></a>`;
}

/** What a schema takes, in a line. */
export function typeHtml(schema: TSchema): Html {
  const { $ref, items, oneOf, anyOf } = schema;
  if ($ref !== undefined) return schemaLink($ref);
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) return alternativesHtml(alternatives);
  const limits = limitsOf(schema);
  const small = limits.length === 0 ? undefined : html` <small>${limits.join(', ')}</small>`;
  const types = typesOf(schema);
  if (schema.enum !== undefined) return html`${types.join(' | ')}${small}`;
  const of = items === undefined ? undefined : html` of ${typeHtml(items)}`;
  return joined([html`${types[0]}${small}${of}`, ...types.slice(1)], ' or ');
}

/** The members of an object and whatever else is below a schema, level by level; undefined where nothing is. */
export function insideHtml(schema: TSchema): Html | undefined {
  const { properties, required = [], items, additionalProperties, oneOf, anyOf } = schema;
  const parts: HtmlValue[] = [];
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) =>
      memberHtml(name, member, required.includes(name)),
    );
    parts.push(html`<ul class="members">${members}</ul>`);
  }
  if (typeof additionalProperties === 'object') {
    parts.push(html`<ul class="members">${memberHtml('any other name', additionalProperties, false)}</ul>`);
  }
  if (items !== undefined) parts.push(insideHtml(items));
  const alternatives = oneOf ?? anyOf ?? [];
  if (areManyNames(alternatives)) parts.push(html`<p>${joined(alternatives.map(typeHtml), ' · ')}</p>`);
  for (const alternative of alternatives) parts.push(expandable(alternative));
  return parts.every((part) => part === undefined) ? undefined : html`${parts}`;
}

function memberHtml(name: string, schema: TSchema, required: boolean): Html {
  const needed = required ? html` <em>required</em>` : undefined;
  const head = html`<code>${name}</code> <span>${typeHtml(schema)}</span>${needed}`;
  const inside = insideHtml(schema);
  return inside === undefined
    ? html`<li>${head}</li>`
    : html`<li><details><summary>${head}</summary>${inside}</details></li>`;
}

/** One of several forms: by its name where it has one, else by its kind. */
function expandable(schema: TSchema): Html | undefined {
  const inside = insideHtml(schema);
  if (inside === undefined) return undefined;
  return hasMembers(schema)
    ? html`<details class="form"><summary>${nameOf(schema)}</summary>${inside}</details>`
    : inside;
}

/** Long lists of forms are counted, their names stand below. */
const mostNamed = 6;

function areManyNames(alternatives: readonly TSchema[]): boolean {
  return alternatives.length > mostNamed && alternatives.every(({ $ref }) => $ref !== undefined);
}

function alternativesHtml(alternatives: readonly TSchema[]): Html {
  if (areManyNames(alternatives)) return html`one of ${alternatives.length}`;
  const simple = alternatives.filter((schema) => !hasMembers(schema)).map(typeHtml);
  const forms = alternatives.filter(hasMembers);
  const named = forms.length > mostNamed ? [html`one of ${forms.length} objects`] : forms.map(nameOf);
  return joined([...simple, ...named], ' or ');
}

/** Names an object by the only value of its `type`, `id` or `role`; without one, by its first members. */
function nameOf(schema: TSchema): Html {
  for (const name of ['type', 'id', 'role']) {
    const words = schema.properties?.[name]?.enum?.filter((word) => word !== null);
    if (words?.length === 1) return html`<code>${String(words[0])}</code>`;
  }
  const members = schema.required ?? Object.keys(schema.properties ?? {});
  return html`object with ${joined(
    members.slice(0, 3).map((member) => html`<code>${member}</code>`),
    ', ',
  )}`;
}
