import type { TSchema } from '../../util/json-schema.ts';
import { docsStyle } from './docs-style.ts';
import { errorsHtml } from './errors-html.ts';
import { eventsHtml } from './events-html.ts';
import { Html, html, joined, prose } from './html.ts';
import type { InterfaceDocument } from './interface-document.ts';
import { operationHtml, operationLink, type PlacedOperation } from './operation-html.ts';
import { insideHtml, schemaLink, typeHtml } from './schema-html.ts';

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
