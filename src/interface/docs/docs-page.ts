import { type ErrorCode, errorTable } from '../../core/errors.ts';
import { responseErrorCode } from '../../dialects/gateway/assembly/response-error-code.ts';
import type { TSchema } from '../../util/json-schema.ts';
import { docsStyle } from './docs-style.ts';
import type {
  Content,
  DocumentedOperation,
  DocumentedParameter,
  InterfaceDocument,
} from './interface-document.ts';

/**
 * The browsable reference of the interface (docs/spec/operations.md#other-paths): one page that needs nothing else,
 * made from its document.
 */
export function docsPage(document: InterfaceDocument): string {
  const { info, servers, paths } = document;
  const base = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): PlacedOperation => ({
        ...operation,
        method: method.toUpperCase(),
        path: (operation.servers?.[0]?.url ?? base) + path,
      }),
    ),
  );
  const schemas = Object.entries(document.components.schemas);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}: reference of the interface</title>
<style>${new Html(docsStyle)}</style>
</head>
<body>
<header>
<h1>${info.title}</h1>
<p>The reference of the interface. <a href="/openapi.json">The same as OpenAPI</a>, for programs.</p>
</header>
<nav aria-label="Contents">
<p><a href="#endpoints">Endpoints</a> · <a href="#events">Events</a> · <a href="#errors">Errors</a> · <a href="#schemas">Schemas</a></p>
<ul>${operations.map(operationLink)}</ul>
</nav>
<main>
<section id="endpoints">
<h2>Endpoints</h2>
${operations.map(operationHtml)}
${headersHtml(operations)}
</section>
${eventsHtml(document)}
${errorsHtml()}
<section id="schemas">
<h2>Schemas</h2>
<p>${joined(
    schemas.map(([name]) => schemaLink(name)),
    ' · ',
  )}</p>
${schemas.map(([name, schema]) => schemaHtml(name, schema))}
</section>
</main>
</body>
</html>
`.text;
}

/** What the headers of answers tell, each once. */
function headersHtml(operations: readonly PlacedOperation[]): Html {
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  const headers = new Map(answers.flatMap(({ headers = {} }) => Object.entries(headers)));
  return html`
<article id="headers">
<h3>Headers of answers</h3>
<div class="wide"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Takes</th><th scope="col">Meaning</th></tr></thead>
<tbody>${[...headers].map(
    ([name, { schema, description }]) => html`
<tr><td><code>${name}</code></td><td>${typeHtml(schema)}</td><td>${prose(description)}</td></tr>`,
  )}</tbody></table></div>
</article>`;
}

function schemaHtml(name: string, schema: TSchema): Html {
  return html`
<article id="schema-${name}">
<h3><code>${name}</code> <small>${typeHtml(schema)}</small></h3>
${schema.description === undefined ? undefined : html`<p>${prose(schema.description)}</p>`}
${insideHtml(schema)}
</article>`;
}

/** The section of the events a stream may carry, each with when it is sent and a link to its schema. */
function eventsHtml({ components: { schemas } }: InterfaceDocument): Html {
  const { description = '', oneOf = [] } = schemas.StreamEvent ?? {};
  return html`
<section id="events">
<h2>Events</h2>
<p>Where <code>stream</code> is true, an answer arrives as server-sent events. ${prose(description)}</p>
<div class="wide"><table>
<thead><tr><th scope="col">Event</th><th scope="col">When</th><th scope="col">Schema</th></tr></thead>
<tbody>${oneOf.map(({ $ref = '' }) => eventRow($ref, schemas[refName($ref)]))}</tbody></table></div>
</section>`;
}

function eventRow($ref: string, schema: TSchema | undefined): Html {
  return html`
<tr><td><code>${String(schema?.properties?.type?.enum?.[0])}</code></td><td>${prose(schema?.description ?? '')}</td>
<td>${schemaLink($ref)}</td></tr>`;
}

/** The section that the `docs_url` of an error leads to: every row of the error table, and why no endpoint served. */
function errorsHtml(): Html {
  return html`
<section id="errors">
<h2>Errors</h2>
<p>A failure is answered with its status and the body ${schemaLink('Error')}: <code>error.code</code> is the status,
<code>error.metadata.error_type</code> the type below. Once a stream has begun, the same failure is an <code>error</code>
event and a <code>response.failed</code> event, whose response carries <code>error.code</code> as in the last column.
Several rows may share a status and a type; the message tells them apart.</p>
<div class="wide"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Type, and error</th><th scope="col">When</th>
<th scope="col">What to do</th><th scope="col">Retry may help</th><th scope="col">In a response</th></tr></thead>
<tbody>${Object.keys(errorTable).map((code) => errorRow(code as ErrorCode))}</tbody></table></div>
<h3 id="availability">Why no endpoint could serve</h3>
<p>Where the model or every endpoint of it is out of reach, <code>error.metadata.availability</code> says why.</p>
<div class="wide"><table>
<thead><tr><th scope="col">Code</th><th scope="col">When</th><th scope="col">What to do</th></tr></thead>
<tbody>${availabilityAdvice.map(
    ([code, meaning, advice]) => html`
<tr id="availability-${code}"><td><code>${code}</code></td><td>${meaning}</td><td>${advice}</td></tr>`,
  )}</tbody></table></div>
</section>`;
}

function errorRow(code: ErrorCode): Html {
  const { type, status, retryable, text } = errorTable[code];
  return html`
<tr id="error-${code}"><td>${status}</td><td><code>${type}</code><br><small>${code}</small></td><td>${text}</td>
<td>${errorAdvice[code]}</td><td>${retryable ? 'yes' : 'no'}</td><td><code>${responseErrorCode(type)}</code></td></tr>`;
}

/** An operation with its method and path. */
interface PlacedOperation extends DocumentedOperation {
  /** In capitals. */
  readonly method: string;
  /** From the root of the server. */
  readonly path: string;
}

/** The section of one operation: who may call it, what it takes and what it answers. */
function operationHtml(operation: PlacedOperation): Html {
  const { operationId, method, path, summary, description, security, parameters = [] } = operation;
  const access =
    security?.length === 0 ? undefined : html`<code>Authorization: Bearer &lt;API key&gt;</code>. `;
  return html`
<article id="operation-${operationId}">
<h3><code>${method} ${path}</code></h3>
<p>${summary}.</p>
<p>${access}${description ?? (access === undefined ? 'Needs no key.' : 'Needs any key.')}</p>
${parameters.length === 0 ? undefined : parametersHtml(parameters)}
${operation.requestBody === undefined ? undefined : bodyHtml(operation.requestBody.content)}
${responsesHtml(operation.responses)}
</article>`;
}

/** A link to the section of an operation. */
function operationLink({ operationId, method, path, summary }: PlacedOperation): Html {
  return html`<li><a href="#operation-${operationId}"><code>${method} ${path}</code></a> ${summary}</li>`;
}

function parametersHtml(parameters: readonly DocumentedParameter[]): Html {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) => html`
<tr><td><code>${name}</code></td><td>${place}${required ? html` <em>required</em>` : undefined}</td>
<td>${typeHtml(schema)}</td><td>${description}</td></tr>`,
  );
  const table = html`<div class="wide"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Takes</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
  // Lists of models can be filtered in some sixty ways.
  return parameters.length > 8
    ? html`<details><summary>${parameters.length} parameters</summary>${table}</details>`
    : html`<h4>Parameters</h4>${table}`;
}

function bodyHtml(content: Content): Html {
  return html`<p>Request body: ${contentHtml(content)}</p>`;
}

function responsesHtml(responses: DocumentedOperation['responses']): Html {
  const everywhere = (name: string) => Object.values(responses).every(({ headers = {} }) => name in headers);
  const rows = Object.entries(responses).map(
    ([status, { description, headers = {}, content }]) => html`
<tr><td>${status}</td><td>${content === undefined ? undefined : contentHtml(content)}</td>
<td>${Object.keys(headers)
      .filter((name) => !everywhere(name))
      .map((name) => html`<code>${name}</code> `)}</td><td>${prose(description)}</td></tr>`,
  );
  return html`<h4>Answers</h4>
<div class="wide"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Body</th><th scope="col">Headers</th><th scope="col">When</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

function contentHtml(content: Content): Html {
  const kinds = Object.entries(content).map(
    ([type, { schema }]) => html`${typeHtml(schema)} <small>${type}</small>`,
  );
  return joined(kinds, ' or ');
}

/** What a client that gets an error can do about it, for each row of the error table. */
export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'Mend what the message names, mostly by the path of a member.',
  invalid_image: 'Send the picture again, whole and encoded in base64.',
  unsupported_image_format: 'Send the picture as png, jpeg, webp or gif.',
  model_not_found: 'Choose a model that GET /api/v1/models lists.',
  prompt_too_long: 'Shorten the input, ask for less output, or choose a model with a longer context.',
  authentication: 'Send Authorization: Bearer with a key that is neither disabled nor expired.',
  payment_required: 'See remedy_hint in the metadata: add credits, raise the limit of the key, or wait.',
  permission_denied:
    'Use a key of the kind the message names; for region_restricted, allow other providers or models.',
  budget_exceeded:
    'Wait for the interval to begin anew, or raise the budget: `metadata` says whose it is and how long it lasts.',
  input_flagged: 'Change the input.',
  guardrail_blocked: 'Change the input, or ask the owner of the guardrail that the message names.',
  not_found:
    'Look at the path and the ids in it; where a model is meant, availability says why it is not there.',
  method_not_allowed: 'Use one of the methods that the header Allow names.',
  no_endpoints: 'Choose another model.',
  deadline_exceeded: 'Send it again, ask for less output, or have the operator raise server.request_timeout.',
  conflict: 'Delete one of those that the message names, or change one.',
  payload_too_large: 'Send a smaller body.',
  unprocessable: 'Mend the contradiction that the message names.',
  platform_rate_limit: 'Wait until X-RateLimit-Reset, in Unix milliseconds, then send it again.',
  server: 'Send it again; if it stays, give the operator the X-Generation-Id.',
  constraint_filtered: 'Loosen the requirement that availability names; sending the same again is of no use.',
  temporarily_unavailable:
    'Send it again in a while, as Retry-After says where it is set, or allow other models.',
  service_unavailable: 'Send it again in a while, as Retry-After says where it is set.',
  tool_server_failed:
    'Check the address and the credentials of the MCP server, or send the request again in a while.',
  answer_cut_off: 'Send it again in a while, or ask for less output.',
  upstream_invalid_request: 'Read what the provider says in the message, or allow other providers or models.',
  upstream_context_length: 'Shorten the input, or allow providers with a longer context.',
  upstream_seal: 'Send it without the encrypted content and signatures of its reasoning items.',
  upstream_policy: 'Change the content.',
  upstream_flagged: 'Change the input.',
  upstream_region: 'Allow other providers or models.',
  upstream_not_found: 'Allow other providers, or choose another model.',
  upstream_too_large: 'Send a smaller request.',
  upstream_unprocessable: 'Read what the provider says in the message, or allow other providers or models.',
  upstream_rate_limit: 'Send it again in a while, as Retry-After says where it is set.',
  upstream_credential: 'Look at your own credential if one is named; else tell the operator.',
  provider_failed: 'Send it again.',
  provider_endless:
    'Ask for less output, allow other providers, or have the operator raise limits.answer_bytes.',
  provider_timeout: 'Send it again, or allow other providers or models.',
  provider_overloaded: 'Send it again in a while, as Retry-After says where it is set.',
};

/** The codes of `error.metadata.availability`: why no endpoint could serve (docs/spec/errors.md#availability). */
const availabilityAdvice: readonly (readonly [code: string, meaning: string, advice: string])[] = [
  ['model_not_found', 'No model has this name.', 'Choose one that GET /api/v1/models lists.'],
  ['wrong_endpoint', 'The model writes what this interface does not return.', 'Choose one that writes text.'],
  ['no_endpoints', 'Nobody serves the model here.', 'Choose another model.'],
  ['model_deprecated', 'The model is retired.', 'Use one of fallback_models, where it has any.'],
  [
    'free_variant_ended',
    'The free offer of the model has ended.',
    'Use one of fallback_models, where it has any.',
  ],
  ['model_unavailable_upstream', 'No provider asked knows the model.', 'Choose another model.'],
  ['region_restricted', 'No provider serves this region.', 'Allow other providers or models.'],
  [
    'capacity_exhausted',
    'Every provider limits the rate.',
    'Send it again in a while, as retry_after says where it is set.',
  ],
  ['privacy_restricted', 'No endpoint keeps to the data policy asked for.', 'Loosen it, or allow others.'],
  [
    'constraint_filtered',
    'No endpoint meets the requirements.',
    'Loosen or leave out what constraint and excluded_by name.',
  ],
  ['temporarily_unavailable', 'Every endpoint tried failed.', 'Send it again in a while.'],
];

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

const reference = '#/components/schemas/';

/** The name of the schema a reference leads to, and whatever the reference names within it. */
function refName(ref: string): string {
  return ref.replace(reference, '');
}

/** The types a schema takes, or the values where only some are taken. */
function typesOf({ type, enum: words }: TSchema): readonly string[] {
  if (words !== undefined) return words.map((word) => JSON.stringify(word));
  if (type === undefined) return ['anything'];
  return typeof type === 'string' ? [type] : type;
}

/** Whether it is an object whose members are known. */
function hasMembers({ properties }: TSchema): boolean {
  return properties !== undefined;
}

/** Everything else a value has to keep to. */
function limitsOf(schema: TSchema): readonly string[] {
  const { format, pattern, additionalProperties, propertyNames } = schema;
  return [
    format,
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'element'),
    range(undefined, schema.maxProperties, 'member'),
    pattern === undefined ? undefined : `matches ${pattern}`,
    additionalProperties === false ? 'no other members' : undefined,
    propertyNames === undefined ? undefined : `names: ${limitsOf(propertyNames).join(', ')}`,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((limit) => limit !== undefined);
}

function range(least: number | undefined, most: number | undefined, unit?: string): string | undefined {
  const last = most ?? least;
  if (last === undefined) return undefined;
  const units = unit === undefined ? '' : ` ${unit}${last === 1 ? '' : 's'}`;
  if (least === undefined) return `at most ${last}${units}`;
  return most === undefined ? `at least ${last}${units}` : `${least} to ${last}${units}`;
}

/** Text that is HTML already and is not escaped again. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand between pieces of HTML; lists are joined, what is undefined is left out. */
type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

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
