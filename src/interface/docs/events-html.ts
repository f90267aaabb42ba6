import type { TSchema } from '../../util/json-schema.ts';
import { type Html, html, prose } from './html.ts';
import type { InterfaceDocument } from './interface-document.ts';
import { refName } from './schema-facts.ts';
import { schemaLink } from './schema-html.ts';

/** The section of the events a stream may carry, each with when it is sent and a link to its schema. */
export function eventsHtml({ components: { schemas } }: InterfaceDocument): Html {
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
