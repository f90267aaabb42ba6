import { type Html, html, joined, prose } from './html.ts';
import type { Content, DocumentedOperation, DocumentedParameter } from './interface-document.ts';
import { typeHtml } from './schema-html.ts';

/** An operation with its method and path. */
export interface PlacedOperation extends DocumentedOperation {
  /** In capitals. */
  readonly method: string;
  /** From the root of the server. */
  readonly path: string;
}

/** The section of one operation: who may call it, what it takes and what it answers. */
export function operationHtml(operation: PlacedOperation): Html {
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
export function operationLink({ operationId, method, path, summary }: PlacedOperation): Html {
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
