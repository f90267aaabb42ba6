import { docsStyle } from './docs-style.ts';
import { errorsHtml } from './errors-html.ts';
import { Html, html, joined } from './html.ts';
import type { InterfaceDocument } from './interface-document.ts';
import { operationHtml, operationLink, type PlacedOperation } from './operation-html.ts';
import type { Schema } from './schema-facts.ts';
import { insideHtml, schemaLink, typeHtml } from './schema-html.ts';

/** The browsable reference of the interface (operations.md 4): one page that needs nothing else, made from its document. */
export function docsPage(document: InterfaceDocument): string {
  const { info, servers, paths } = document;
  const base = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): PlacedOperation => ({
        ...operation,
        method: method.toUpperCase(),
        path: base + path,
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
<p><a href="#endpoints">Endpoints</a> · <a href="#errors">Errors</a> · <a href="#schemas">Schemas</a></p>
<ul>${operations.map(operationLink)}</ul>
</nav>
<main>
<section id="endpoints">
<h2>Endpoints</h2>
${operations.map(operationHtml)}
</section>
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

function schemaHtml(name: string, schema: Schema): Html {
  return html`
<article id="schema-${name}">
<h3><code>${name}</code> <small>${typeHtml(schema)}</small></h3>
${insideHtml(schema)}
</article>`;
}
